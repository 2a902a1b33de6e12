import type { ScreeningPlace, ScreeningRole } from '@tollgate/contracts';
import type { ScreeningRef__Output } from '@tollgate/contracts/node';
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
}
