import type { ScreeningPlace, ScreeningRole } from '@tollgate/contracts';
import type {
  CheckedPiece,
  CheckStreamReply__Output,
  CheckStreamStart,
  ScreeningRef__Output,
} from '@tollgate/contracts/node';
import type { Check, ExternalRule, Hit, Program, ServiceVerdict } from '@tollgate/screening';

export interface ScreeningPrograms {
  /**
   * The rules of all policies together, compiled. `judged`: so many policies have judged the request
   * before.
   * @throws GatewayError `dependency_unavailable`
   */
  get: (
    refs: readonly ScreeningRef__Output[],
    judged?: number,
  ) => ScreeningRules | Promise<ScreeningRules>;
}

export interface ScreeningRules {
  program: Program;
  /** The services that the rules ask, by the place of the rule in the program. */
  services: ReadonlyMap<number, AskService>;
  /** API keys by which services of the organisation make requests of their own. */
  serviceKeyIds: ReadonlySet<string>;
}

/** A service that judges texts. */
export interface AskService {
  /** Rejects if there is no verdict within the time. */
  readonly ask: (check: Check, timeoutMs: number) => Promise<ServiceVerdict>;
  /** Opens a check of a streamed answer. Undefined: the service judges whole answers only. */
  readonly openStream?: (start: CheckStreamStart, on: CheckStreamReader) => CheckStream;
}

/** A streamed answer that a service judges piece by piece. */
export interface CheckStream {
  readonly send: (piece: CheckedPiece) => void;
  /** Every piece is answered, and nothing follows. */
  readonly close: () => void;
  readonly cancel: () => void;
}

/** Neither is called after `failed`, `close` or `cancel`, nor before `openStream` has returned. */
export interface CheckStreamReader {
  readonly reply: (reply: CheckStreamReply__Output) => void;
  readonly failed: (error: Error) => void;
}

/** A text that services may be asked about. */
export interface TextToCheck {
  readonly place: ScreeningPlace;
  readonly role: ScreeningRole;
  /** Decoded, if it is JSON itself. */
  readonly text: string;
  /** Whether a rule reads it. */
  readonly reads: (rule: ExternalRule) => boolean;
}

/** What plugins may change of a request beside its texts. */
export interface Changeable {
  /** Those that a plugin changes are set. Undefined: the request has none. */
  readonly parameters: Record<string, unknown> | undefined;
  /** The model that the request asks for. Undefined: plugins choose none, as one has, or none is named. */
  readonly model: string | undefined;
}

/** Asks the services of one request. */
export interface Checks {
  /**
   * Notes the verdicts in the screening. Never rejects. `changeable`: of a request.
   * @returns what the services found in each text
   */
  readonly run: (
    rules: readonly ExternalRule[],
    texts: readonly TextToCheck[],
    changeable?: Changeable,
  ) => Promise<readonly Hit[][]>;
  /** Whether the service of a rule judges streamed answers piece by piece. */
  readonly streams: (rule: ExternalRule) => boolean;
  /** Opens the check of a rule whose service streams. */
  readonly openStream: (rule: ExternalRule, on: CheckStreamReader) => CheckStream;
  /**
   * Notes how a streamed check ended. `places`: of its texts, the one that has no verdict first. `ms`: of the
   * slowest piece. `reason`: why there is no verdict.
   */
  readonly noteStream: (
    rule: ExternalRule,
    places: readonly ScreeningPlace[],
    ms: number,
    reason?: string,
  ) => void;
}
