// The edge's side of the policy protocol: sessions with batched frames, settles that are kept until
// they are booked, and holds whose leases are renewed while their requests run. Nothing here knows
// HTTP or a provider.

import { gatewayError, shardOf } from '@tollgate/contracts';
import type {
  AttemptReport,
  AuthorizeReply__Output,
  AuthorizeRequest,
  RefusalReport,
  SessionReply__Output,
  SettleRequest,
} from '@tollgate/contracts/node';
import { createLoopClock, type Logger } from '@tollgate/kit';

import { createAdmission, type AdmissionRefusal, type AdmissionStatus } from './admission';
import { createConfirmedKeys } from './confirmed-keys';
import { createHoldRegistry, type Hold } from './holds';
import { AWAY, type Answer } from './item';
import { createSessionPool } from './pool';
import type { SessionStream } from './session';
import { createSettleKeeper } from './settles';
import { createSpool } from './spool';

export type { ExtendOutcome, Hold } from './holds';

export interface Policy {
  /**
   * Waits while policy is at capacity. `client`: who waits for the answer.
   * @throws GatewayError `dependency_unavailable`, `overloaded`
   */
  authorize: (request: AuthorizeRequest, client: Client) => Promise<AuthorizeReply__Output>;
  /**
   * Whether a large body may be read for this key; authorize still decides. Synchronous for a
   * recently confirmed key.
   * @throws GatewayError `dependency_unavailable`
   */
  confirmKey: (keySha256: Buffer) => boolean | Promise<boolean>;
  /** Starts to renew the hold of an allowed request. */
  openHold: ReturnType<typeof createHoldRegistry>['open'];
  /** Takes over the settle of a hold; never fails. */
  settle: (hold: Hold, settle: SettleRequest) => void;
  /** Reports how an attempt went, for later choices of candidates; may be lost. */
  report: (report: AttemptReport) => void;
  /** Reports a refusal by the edge itself; may be lost. */
  refused: (report: RefusalReport) => void;
  status: () => PolicyStatus;
  /** Waits until all settles are booked, at most `drainMs`; the rest is written to disk. */
  stop: (drainMs: number) => Promise<void>;
}

/** A waiting request is dropped if its client has left. */
export interface Client {
  readonly clientGone: boolean;
}

export type PolicyStatus = AdmissionStatus & {
  sessionsOpen: number;
  holdsInFlight: number;
  settlesQueued: number;
  settlesKept: number;
  settlesFull: boolean;
};

export interface PolicyDeps {
  addresses: readonly string[];
  sessionsPerAddress: number;
  window: number;
  recycleMs: number;
  authorizeDeadlineMs: number;
  /** Limits of waiting requests: their number and their time. */
  queueMost: number;
  queueMs: number;
  settleDeadlineMs: number;
  settlesMost: number;
  spoolDirectory: string;
  connect: (address: string) => Promise<SessionStream>;
  log: Logger;
  onReconnect: () => void;
  /** A request has waited for its turn. */
  onQueued: (ms: number) => void;
  /** A waiting request was not decided. */
  onQueueRefusal: (reason: AdmissionRefusal) => void;
  /** Monotonic milliseconds. */
  nowMs: () => number;
  wallMs: () => number;
  random: () => number;
}

const SPOOL_LOOK_MS = 30_000;
/** The other half of the sessions' capacity is for extends and settles, which never wait. */
const AUTHORIZE_SHARE = 0.5;
/** `Retry-After` of a refusal for load. */
const RETRY_AFTER_MS = 1_000;
/** Policy's errors for overload. */
const TOO_BUSY: ReadonlySet<string> = new Set(['DEADLINE_EXCEEDED', 'RESOURCE_EXHAUSTED']);

export async function createPolicy(deps: PolicyDeps): Promise<Policy> {
  const { log, nowMs } = deps;
  const spool = createSpool(deps.spoolDirectory, (text) => log.error('spool', { problem: text }));
  await spool.prepare();

  const onFrame = (frame: SessionReply__Output): void => {
    if (frame.reopenedShards.length > 0) {
      settles.reopened(frame.reopenedShards);
      holds.reopened(frame.reopenedShards);
    }
    if (frame.booked.length > 0) settles.booked(frame.booked);
  };

  const loopClock = createLoopClock(nowMs);
  const pool = createSessionPool({
    addresses: deps.addresses,
    sessionsPerAddress: deps.sessionsPerAddress,
    window: deps.window,
    recycleMs: deps.recycleMs,
    connect: deps.connect,
    nowMs: loopClock.now,
    random: deps.random,
    onFrame,
    // The first session may open before this function returns.
    onOpen: () => setImmediate(() => settles.retryNow()),
    onReconnect: (address, reason) => {
      deps.onReconnect();
      log.warn('policy session closed', { address, reason });
    },
  });
  const settles = createSettleKeeper({
    ask: pool.ask,
    deadlineMs: deps.settleDeadlineMs,
    most: deps.settlesMost,
    nowMs,
    onRejected: (settle, failure) => {
      log.error('policy refused a settle', { requestId: settle.message.requestId, ...failure });
      spool.setAside(settle, failure.message).catch((error: unknown) => {
        log.error('could not set aside a refused settle', { error, settle: settle.message });
      });
    },
  });
  const holds = createHoldRegistry({
    ask: pool.ask,
    deadlineMs: deps.authorizeDeadlineMs,
    nowMs,
    wallMs: deps.wallMs,
  });

  const sessions = deps.addresses.length * deps.sessionsPerAddress;
  const admission = createAdmission({
    queueMost: deps.queueMost,
    queueMs: deps.queueMs,
    inFlightMost: Math.floor(sessions * deps.window * AUTHORIZE_SHARE),
    deadlineMs: deps.authorizeDeadlineMs,
    nowMs,
    onWaited: deps.onQueued,
    onRefused: deps.onQueueRefusal,
  });

  const giveBack = (requestId: string, reply: AuthorizeReply__Output): void => {
    const { allow } = reply;
    if (!allow) return;
    const shard = shardOf(allow.subject?.organisationId ?? '');
    settles.submit({ shard, message: cancellation(requestId, allow.holdToken) });
  };

  const authorize: Policy['authorize'] = (request, client) => {
    // With this many unbooked settles, more work would only increase what a crash can lose.
    if (settles.full()) return Promise.reject(unavailable(AWAY, 'settle queue'));
    return new Promise((resolve, reject) => {
      const proceed = (): void => {
        const askedMs = loopClock.now();
        pool.ask({ kind: 'authorize', message: request }, deps.authorizeDeadlineMs, {
          answered: (answer) => {
            if (answer.ok) admission.leave(loopClock.now() - askedMs);
            else if (TOO_BUSY.has(answer.failure.code)) admission.leaveLate();
            else admission.leave(undefined);
            if (answer.ok && answer.result.authorize) resolve(answer.result.authorize);
            else reject(unavailable(answer, 'policy'));
          },
          late: ({ authorize }) => {
            if (authorize) giveBack(request.requestId ?? '', authorize);
          },
        });
      };
      if (admission.enter()) proceed();
      else {
        const refuse = (): void => reject(overloaded());
        admission.wait({ key: laneOf(request), client, proceed, refuse });
      }
    });
  };

  const confirmedKeys = createConfirmedKeys({
    nowMs,
    ask: (keySha256) =>
      new Promise((resolve, reject) => {
        pool.ask({ kind: 'confirmKey', message: { keySha256 } }, deps.authorizeDeadlineMs, {
          answered: (answer) => {
            if (answer.ok && answer.result.confirmKey) resolve(answer.result.confirmKey.valid);
            // A policy of the previous release does not support this request. Authorize decides in
            // any case.
            else if (!answer.ok && answer.failure.code === 'INVALID_ARGUMENT') resolve(true);
            else reject(unavailable(answer, 'policy'));
          },
          late: () => undefined,
        });
      }),
  });

  const stop = async (drainMs: number): Promise<void> => {
    clearInterval(looking);
    await holds.idle(drainMs);
    const left = await settles.drain(drainMs);
    settles.stop();
    holds.stop();
    pool.stop();
    admission.stop();
    loopClock.stop();
    await spool.spill(left);
    if (left.length > 0) log.warn('unsent settles written to disk', { settles: left.length });
  };

  const replay = async (): Promise<void> => {
    const replayed = await spool.replay((settle, onBooked) => settles.submit(settle, onBooked));
    if (replayed > 0) log.info('settles replayed from disk', { settles: replayed });
  };
  await replay();
  // Another edge that shares the folder, or the one that this one replaced, may leave settles
  // later.
  const looking = setInterval(() => {
    replay().catch((error: unknown) => log.error('spool', { error }));
  }, SPOOL_LOOK_MS);

  return {
    authorize,
    confirmKey: confirmedKeys.confirm,
    openHold: holds.open,
    settle: (hold, message) => {
      const submit = (): void => {
        settles.submit({ shard: hold.shard, message: { ...message, holdToken: hold.token() } });
      };
      // A pending extension returns the token that the settle must carry.
      const ending = hold.end();
      if (ending) void ending.then(submit);
      else submit();
    },
    report: pool.report,
    refused: pool.refused,
    status: () => ({
      ...admission.status(),
      sessionsOpen: pool.open(),
      holdsInFlight: holds.inFlight(),
      settlesQueued: settles.queued(),
      settlesKept: settles.kept(),
      settlesFull: settles.full(),
    }),
    stop,
  };
}

function cancellation(requestId: string, holdToken: Buffer): SettleRequest {
  return { requestId, holdToken, cancelled: true };
}

/** Requests of one key share a lane. */
function laneOf({ keySha256 }: AuthorizeRequest): string {
  return Buffer.isBuffer(keySha256) ? keySha256.toString('latin1') : '';
}

function overloaded() {
  return gatewayError('overloaded', undefined, { retryAfterMs: RETRY_AFTER_MS });
}

function unavailable(answer: Answer, fallback: string) {
  const failure = answer.ok ? undefined : answer.failure;
  return gatewayError('dependency_unavailable', undefined, {
    details: { dependency: failure?.dependency || fallback },
    retryAfterMs: RETRY_AFTER_MS,
    cause: failure?.message,
  });
}
