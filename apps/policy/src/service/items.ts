import type {
  AuthorizeReply,
  AuthorizeRequest__Output,
  ConfirmKeyReply,
  ConfirmKeyRequest__Output,
  DryRunReply,
  ExtendReply,
  ExtendRequest__Output,
  SettleReply,
  SettleRequest__Output,
} from '@tollgate/contracts/node';
import { createBreaker, type Clock, type Logger } from '@tollgate/kit';

import { failureOf, unavailable, type Failure } from '../failure';
import { cancelledSettle, type Caller, type DryRun } from '../holds';
import { SlowError, StoreUnavailableError } from '../store';
import type { ConfirmKey } from './confirm-key';
import type { ItemKind, ItemOutcome, PolicyMetrics } from './metrics';
import type { Asked, Refusals } from './refusals';
import { checkAuthorize, checkExtend, checkSettle } from './requests';

/** The three decisions, each with its deadline. */
export interface Decisions {
  /** `caller`: it can be asked to adopt the hold; without one the store decides. */
  readonly authorize: (
    request: AuthorizeRequest__Output,
    deadlineAtMs: number,
    caller?: Caller,
  ) => Promise<AuthorizeReply>;
  /** `caller`: as of the authorize; a hold in memory is extended there for its own caller only. */
  readonly extend: (
    request: ExtendRequest__Output,
    deadlineAtMs: number,
    caller?: Caller,
  ) => Promise<ExtendReply>;
  /** `told`: whether the reply has the state of the limits; default true. */
  readonly settle: (
    request: SettleRequest__Output,
    deadlineAtMs: number,
    told?: boolean,
  ) => Promise<SettleReply>;
}

export interface ItemsDeps {
  readonly decisions: Decisions;
  readonly dryRun: DryRun;
  readonly confirmKey: ConfirmKey;
  readonly onOrphan: (requestId: string, holdToken: Buffer) => void;
  readonly refusals: Pick<Refusals, 'note'>;
  readonly metrics: PolicyMetrics;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Decisions for callers: validated, counted, and failing only with a Failure. */
export interface Items extends Decisions {
  /** What authorize would answer; in no list of refusals, and counted apart. */
  readonly dryRun: DryRun;
  /** Whether a key is valid; decides nothing else. */
  readonly confirmKey: (request: ConfirmKeyRequest__Output) => Promise<ConfirmKeyReply>;
  /** Releases the hold of a request that nobody waits for; one of a float as an orphan. */
  readonly giveBack: (requestId: string, reply: AuthorizeReply) => void;
  /**
   * Releases the hold unless the request is repeated: its caller was told that it failed, or lost
   * the connection, and may ask another policy.
   */
  readonly orphan: (requestId: string, reply: AuthorizeReply) => void;
}

/** What a refusal is listed under: the model, or the MCP server. */
const askedBy = ({ requestId, model, mcp }: AuthorizeRequest__Output): Asked => ({
  requestId,
  model: mcp?.server ?? model,
});

const BREAKER_FAILURES = 10;
const BREAKER_COOL_MS = 200;
const GIVE_BACK_TRIES = 3;
const GIVE_BACK_DEADLINE_MS = 5_000;

export function createItems(deps: ItemsDeps): Items {
  const { decisions, metrics, clock } = deps;
  // While the store does not reply, most requests fail at once instead of after a wait.
  const breaker = createBreaker({ failures: BREAKER_FAILURES, coolMs: BREAKER_COOL_MS, clock });

  const authorize: Decisions['authorize'] = async (request, deadlineAtMs, caller) => {
    const startedAt = performance.now();
    try {
      checkAuthorize(request);
      if (!breaker.allow()) throw unavailable('redis', 'redis does not reply');
      const reply = await decisions.authorize(request, deadlineAtMs, caller);
      breaker.succeeded();
      if (reply.allow) metrics.holdsOpen.inc();
      if (reply.denial) deps.refusals.note(askedBy(request), reply.denial);
      done(deps, 'authorize', startedAt, reply.allow ? 'allow' : 'deny', reply.denial?.code ?? '');
      return reply;
    } catch (error) {
      if (error instanceof StoreUnavailableError && !(error instanceof SlowError)) breaker.failed();
      throw failed(deps, 'authorize', startedAt, error);
    }
  };

  const extend: Decisions['extend'] = async (request, deadlineAtMs, caller) => {
    const startedAt = performance.now();
    try {
      checkExtend(request);
      const reply = await decisions.extend(request, deadlineAtMs, caller);
      if (reply.denial) {
        deps.refusals.note({ requestId: request.requestId, model: '' }, reply.denial);
      }
      done(deps, 'extend', startedAt, reply.denial ? 'deny' : 'done', reply.denial?.code ?? '');
      return reply;
    } catch (error) {
      throw failed(deps, 'extend', startedAt, error);
    }
  };

  const settle: Decisions['settle'] = async (request, deadlineAtMs, told) => {
    const startedAt = performance.now();
    try {
      checkSettle(request);
      const reply = await decisions.settle(request, deadlineAtMs, told);
      if (reply.duplicate !== true) metrics.holdsOpen.dec();
      done(deps, 'settle', startedAt, 'done', '');
      return reply;
    } catch (error) {
      throw failed(deps, 'settle', startedAt, error);
    }
  };

  const looks = createLooks(deps, breaker);
  return { authorize, extend, settle, ...looks, ...createReleases(deps, settle) };
}

/** Items that take and end nothing. */
function createLooks(
  deps: ItemsDeps,
  breaker: ReturnType<typeof createBreaker>,
): Pick<Items, 'dryRun' | 'confirmKey'> {
  const dryRun: DryRun = async (request, deadlineAtMs) => {
    const startedAt = performance.now();
    try {
      checkAuthorize(request);
      if (!breaker.allow()) throw unavailable('redis', 'redis does not reply');
      const reply: DryRunReply = await deps.dryRun(request, deadlineAtMs);
      breaker.succeeded();
      done(deps, 'dry_run', startedAt, reply.allow ? 'allow' : 'deny', reply.denial?.code ?? '');
      return reply;
    } catch (error) {
      if (error instanceof StoreUnavailableError && !(error instanceof SlowError)) breaker.failed();
      throw failed(deps, 'dry_run', startedAt, error);
    }
  };

  const confirmKey: Items['confirmKey'] = async (request) => {
    const startedAt = performance.now();
    try {
      const reply = await deps.confirmKey(request);
      const code = reply.valid ? '' : 'invalid_api_key';
      done(deps, 'confirm_key', startedAt, reply.valid ? 'done' : 'deny', code);
      return reply;
    } catch (error) {
      throw failed(deps, 'confirm_key', startedAt, error);
    }
  };

  return { dryRun, confirmKey };
}

function createReleases(
  deps: ItemsDeps,
  settle: Decisions['settle'],
): Pick<Items, 'giveBack' | 'orphan'> {
  const orphan: Items['orphan'] = (requestId, reply) => {
    const holdToken = reply.allow?.holdToken;
    if (Buffer.isBuffer(holdToken)) deps.onOrphan(requestId, holdToken);
  };

  const giveBack: Items['giveBack'] = (requestId, reply) => {
    const holdToken = reply.allow?.holdToken;
    if (!Buffer.isBuffer(holdToken)) return;
    // A mark of its end would refuse whoever repeats the request.
    if (reply.allow?.floatId) {
      orphan(requestId, reply);
      return;
    }
    void cancel(deps, settle, requestId, holdToken).catch((error: unknown) => {
      // The lease ends it then, charged in full and visible as abandoned.
      deps.log.error('a late hold could not be released', { requestId, error });
    });
  };
  return { giveBack, orphan };
}

function done(
  deps: ItemsDeps,
  kind: ItemKind,
  startedAt: number,
  outcome: ItemOutcome,
  code: string,
): void {
  deps.metrics.itemDone(kind, outcome, code, startedAt);
}

function failed(deps: ItemsDeps, kind: ItemKind, startedAt: number, error: unknown): Failure {
  const failure = failureOf(error);
  done(deps, kind, startedAt, 'failed', failure?.code ?? 'INTERNAL');
  if (failure !== undefined) return failure;
  deps.log.error('an item failed with an unexpected error', { kind, error });
  return unavailable('policy', 'internal error', error);
}

async function cancel(
  { clock }: ItemsDeps,
  settle: Decisions['settle'],
  requestId: string,
  holdToken: Buffer,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await settle(cancelledSettle(requestId, holdToken), clock.now() + GIVE_BACK_DEADLINE_MS);
      return;
    } catch (error) {
      if (tries >= GIVE_BACK_TRIES) throw error;
    }
  }
}
