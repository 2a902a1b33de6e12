import type {
  Allow,
  AuthorizeRequest__Output,
  Denial,
  DryRunReply,
  KeptDecision,
  ReportDecisionsReply__Output,
  ReportDecisionsRequest,
} from '@tollgate/contracts/node';
import { createBoundedCache, type Clock, type Logger } from '@tollgate/kit';

import { createBatchReporter, type BatchReporter, type Reporting } from '../batch-reporter';
import type { KeepDecision } from '../holds';
import { UnbookableError } from '../ledger';

export interface KeptDecisionsDeps {
  readonly report: (request: ReportDecisionsRequest) => Promise<ReportDecisionsReply__Output>;
  /** Called for each decision that an organisation wants and does not get. */
  readonly onDropped: (reason: DropReason) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * `repeated`: the key was refused for the same reason often in this minute. `day_full`: the catalog keeps no more of the
 * organisation today. `stopped`: it waited when the process ended.
 */
export type DropReason = 'repeated' | 'queue_full' | 'day_full' | 'failed' | 'stopped';

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
/** Refusals of a key with one code in a minute: a client that repeats itself leaves room for others. */
const REPEATED_MAX = 10;
const REPEATED_MS = 60_000;
const REPEATED_KEYS_MAX = 10_000;
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
  /** Made when it is sent for the first time; null: it cannot be made. */
  message: KeptDecision | null | undefined;
}

export function createKeptDecisions(deps: KeptDecisionsDeps): KeptDecisions {
  const { clock, log, onDropped, report } = deps;
  /** Decisions that wait or are being sent, by organisation. */
  const waitingOf = new Map<string, number>();
  const fullDays = createFullDays();
  const leave = (keys: readonly string[]): void => {
    for (const key of keys) addTo(waitingOf, organisationIn(key), -1);
  };
  const drop = (reason: DropReason, count: number): void => {
    for (let dropped = 0; dropped < count; dropped += 1) onDropped(reason);
  };
  const failed = (error: unknown): void => {
    onDropped('failed');
    log.error('a decision cannot be explained', { error });
  };
  const isRepeated = createRepeats(clock);
  let stopped = false;
  const reporter = createBatchReporter<Waiting>({
    send: async (waiting) => {
      const decisions = waiting.flatMap((one) => messageOf(one, failed) ?? []);
      if (decisions.length === 0) return;
      const reply = await report({ decisions });
      drop('day_full', reply.dayFull);
      drop('failed', reply.failed);
      fullDays.note(reply);
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
      drop('failed', keys.length);
    },
    limits: LIMITS,
  });

  /** Why a decision is not taken; undefined: there is room. */
  const obstacle = (organisationId: string, atMs: number): DropReason | undefined => {
    if (stopped) return 'stopped';
    if (fullDays.has(organisationId, atMs)) return 'day_full';
    const ofOne = waitingOf.get(organisationId) ?? 0;
    const isFull = ofOne >= WAITING_OF_ONE_MAX || reporter.waiting() >= LIMITS.waitingMax;
    return isFull ? 'queue_full' : undefined;
  };

  return {
    ...reporter,
    keep: ({ organisationId, subject: { apiKeyId } }, request, { code, explain }) => {
      const key = `${organisationId} ${request.requestId}`;
      // Asked again before it was reported: the first decision is the one that took the hold.
      if (reporter.find(key) !== undefined) return;
      const atMs = clock.now();
      const repeated = code !== undefined && isRepeated(`${apiKeyId} ${code}`);
      const reason = repeated ? 'repeated' : obstacle(organisationId, atMs);
      if (reason !== undefined) return onDropped(reason);
      addTo(waitingOf, organisationId, 1);
      reporter.add(key, { organisationId, apiKeyId, request, atMs, explain, message: undefined });
    },
    stop: async () => {
      stopped = true;
      await drain(reporter);
      drop('stopped', reporter.waiting());
    },
  };
}

/** Sends as many batches as are taken: those that wait are lost with the process. */
async function drain({ flush, stop, waiting }: BatchReporter<Waiting>): Promise<void> {
  await stop();
  for (let left = waiting(); left > 0; left = waiting()) {
    await flush();
    if (waiting() >= left) return;
  }
}

/** Organisations that keep no more until a day has ended. */
function createFullDays() {
  const untilMs = new Map<string, number>();
  return {
    note: ({ fullOrganisationIds, fullUntilMs }: ReportDecisionsReply__Output): void => {
      if (untilMs.size + fullOrganisationIds.length > FULL_MAX) untilMs.clear();
      for (const id of fullOrganisationIds) untilMs.set(id, fullUntilMs);
    },
    has: (organisationId: string, atMs: number): boolean => {
      const until = untilMs.get(organisationId);
      if (until === undefined || atMs < until) return until !== undefined;
      untilMs.delete(organisationId);
      return false;
    },
  };
}

/** Whether there were too many of a kind in this minute. */
function createRepeats(clock: Clock): (kind: string) => boolean {
  const seen = createBoundedCache<string, { sinceMs: number; count: number }>({
    max: REPEATED_KEYS_MAX,
  });
  return (kind) => {
    const nowMs = clock.now();
    const known = seen.get(kind);
    if (known === undefined || nowMs - known.sinceMs >= REPEATED_MS) {
      seen.set(kind, { sinceMs: nowMs, count: 1 });
      return false;
    }
    known.count += 1;
    return known.count > REPEATED_MAX;
  };
}

const organisationIn = (key: string): string => key.slice(0, key.indexOf(' '));

function addTo(counts: Map<string, number>, id: string, by: number): void {
  const count = (counts.get(id) ?? 0) + by;
  if (count > 0) counts.set(id, count);
  else counts.delete(id);
}

/** Null: it cannot be made, and must not hold up the others. */
function messageOf(waiting: Waiting, onFailure: (error: unknown) => void): KeptDecision | null {
  if (waiting.message !== undefined) return waiting.message;
  try {
    waiting.message = makeMessage(waiting);
  } catch (error) {
    waiting.message = null;
    onFailure(error);
  }
  return waiting.message;
}

function makeMessage(waiting: Waiting): KeptDecision {
  const { apiKeyId, atMs, explain, organisationId, request } = waiting;
  return {
    organisationId,
    apiKeyId,
    requestId: request.requestId,
    atMs,
    model: (request.mcp?.server ?? request.model).slice(0, MODEL_MAX),
    operation: request.operation,
    decision: trimmed(explain()),
  };
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
