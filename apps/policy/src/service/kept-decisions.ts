import type {
  Allow,
  AuthorizeRequest__Output,
  Denial,
  DryRunReply,
  KeptDecision,
  ReportDecisionsReply__Output,
  ReportDecisionsRequest,
} from '@tollgate/contracts/node';
import type { Clock, Logger } from '@tollgate/kit';

import { createBatchReporter, type Reporting } from '../batch-reporter';
import type { KeepDecision } from '../holds';
import { UnbookableError } from '../ledger';

export interface KeptDecisionsDeps {
  readonly report: (request: ReportDecisionsRequest) => Promise<ReportDecisionsReply__Output>;
  /** Called for each decision that an organisation wants and does not get. */
  readonly onDropped: (reason: DropReason) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** `day_full`: the catalog keeps no more of the organisation today. */
export type DropReason = 'queue_full' | 'day_full' | 'failed';

/**
 * Reports to the catalog what decisions are made of, for organisations that keep them. No request waits for it. While
 * the catalog is away decisions wait up to a limit, for each organisation and for all; later ones are dropped and
 * counted. A process that is killed loses those that wait.
 */
export interface KeptDecisions extends Reporting {
  readonly keep: KeepDecision;
}

const LIMITS = { flushMs: 500, retryMs: 2_000, batchMax: 100, waitingMax: 2_000 };
/** Of one organisation, so that a flood of one leaves room for others. */
const WAITING_OF_ONE_MAX = 500;
/** Organisations that are remembered to keep no more today. */
const FULL_MAX = 10_000;
const MODEL_MAX = 200;
/** Limits of one decision, the tightest first. */
const LIMITS_MAX = 100;

interface Waiting {
  readonly organisationId: string;
  readonly apiKeyId: string;
  readonly request: AuthorizeRequest__Output;
  readonly atMs: number;
  readonly explain: () => DryRunReply;
  /** Made when it is sent for the first time. */
  message: KeptDecision | undefined;
}

export function createKeptDecisions(deps: KeptDecisionsDeps): KeptDecisions {
  const { clock, log, onDropped, report } = deps;
  /** Decisions that wait or are being sent, by organisation. */
  const waitingOf = new Map<string, number>();
  /** Until when organisations keep no more. */
  const fullUntilMs = new Map<string, number>();
  const leave = (keys: readonly string[]): void => {
    for (const key of keys) addTo(waitingOf, organisationIn(key), -1);
  };
  const reporter = createBatchReporter<Waiting>({
    send: async (waiting) => {
      const reply = await report({ decisions: waiting.map(messageOf) });
      if (fullUntilMs.size + reply.fullOrganisationIds.length > FULL_MAX) fullUntilMs.clear();
      for (const id of reply.fullOrganisationIds) fullUntilMs.set(id, reply.fullUntilMs);
    },
    merge: (older) => older,
    onFailure: (error, decisions) => {
      if (error instanceof UnbookableError && error.certain) {
        log.warn('decisions were not taken', { decisions, error });
        return 'drop';
      }
      log.debug('decisions could not be reported', { decisions, error });
      return 'retry';
    },
    onSent: leave,
    onDropped: (keys) => {
      leave(keys);
      for (let dropped = 0; dropped < keys.length; dropped += 1) onDropped('failed');
    },
    limits: LIMITS,
  });

  /** Why a decision is not taken; undefined: there is room. */
  const obstacle = (organisationId: string, atMs: number): DropReason | undefined => {
    const untilMs = fullUntilMs.get(organisationId);
    if (untilMs !== undefined && atMs < untilMs) return 'day_full';
    if (untilMs !== undefined) fullUntilMs.delete(organisationId);
    const ofOne = waitingOf.get(organisationId) ?? 0;
    const isFull = ofOne >= WAITING_OF_ONE_MAX || reporter.waiting() >= LIMITS.waitingMax;
    return isFull ? 'queue_full' : undefined;
  };

  return {
    ...reporter,
    keep: ({ organisationId, subject: { apiKeyId } }, request, explain) => {
      const key = `${organisationId} ${request.requestId}`;
      // Asked again before it was reported: the first decision is the one that took the hold.
      if (reporter.find(key) !== undefined) return;
      const atMs = clock.now();
      const reason = obstacle(organisationId, atMs);
      if (reason !== undefined) {
        onDropped(reason);
        return;
      }
      addTo(waitingOf, organisationId, 1);
      reporter.add(key, { organisationId, apiKeyId, request, atMs, explain, message: undefined });
    },
    // As many batches as are taken: those that wait are lost with the process.
    stop: async () => {
      await reporter.stop();
      for (let left = reporter.waiting(); left > 0; left = reporter.waiting()) {
        await reporter.flush();
        if (reporter.waiting() >= left) break;
      }
    },
  };
}

const organisationIn = (key: string): string => key.slice(0, key.indexOf(' '));

function addTo(counts: Map<string, number>, id: string, by: number): void {
  const count = (counts.get(id) ?? 0) + by;
  if (count > 0) counts.set(id, count);
  else counts.delete(id);
}

function messageOf(waiting: Waiting): KeptDecision {
  const { apiKeyId, atMs, explain, organisationId, request } = waiting;
  waiting.message ??= {
    organisationId,
    apiKeyId,
    requestId: request.requestId,
    atMs,
    model: (request.mcp?.server ?? request.model).slice(0, MODEL_MAX),
    operation: request.operation,
    decision: trimmed(explain()),
  };
  return waiting.message;
}

/** Without what only the answer to the edge needs, such as the hold token. */
function trimmed({ allow, denial, limits = [], ...rest }: DryRunReply): DryRunReply {
  return {
    ...rest,
    limits: limits.slice(0, LIMITS_MAX),
    ...(allow ? { allow: allowOf(allow) } : {}),
    ...(denial ? { denial: denialOf(denial) } : {}),
  };
}

function allowOf({
  experiment = null,
  softExceeded = [],
  tellUpstreamModel = false,
}: Allow): Allow {
  return { experiment, softExceeded, tellUpstreamModel };
}

function denialOf(denial: Denial): Denial {
  const { code = '', detailsJson = '', message = '', retryAfterMs = 0 } = denial;
  return { code, detailsJson, message, retryAfterMs };
}
