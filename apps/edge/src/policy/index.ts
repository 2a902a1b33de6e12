// The edge's side of the protocol with policy: sessions that carry batches, settles that are kept
// until they are booked, holds whose leases are moved while their requests run. Nothing here knows
// HTTP or a provider.

import { gatewayError } from '@tollgate/contracts';
import type {
  AttemptReport,
  AuthorizeReply__Output,
  AuthorizeRequest,
  RefusalReport,
  SessionReply__Output,
  SettleRequest,
} from '@tollgate/contracts/node';
import { shardOf } from '@tollgate/contracts';
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

export type Policy = {
  /**
   * Waits for a moment where policy has as much to do as it can. `client`: whom the answer is for.
   * @throws GatewayError `dependency_unavailable`, `overloaded`
   */
  authorize: (request: AuthorizeRequest, client: Client) => Promise<AuthorizeReply__Output>;
  /**
   * Whether a key is valid, as far as a large body may be read for it; authorize still decides. Answers
   * at once for a key that was confirmed a moment ago.
   * @throws GatewayError `dependency_unavailable`
   */
  confirmKey: (keySha256: Buffer) => boolean | Promise<boolean>;
  /** Starts to look after the hold of an allowed request. */
  openHold: ReturnType<typeof createHoldRegistry>['open'];
  /** Takes the settle of a hold over; never fails. */
  settle: (hold: Hold, settle: SettleRequest) => void;
  /** How an attempt went, for the choice of later ones; may be lost. */
  report: (report: AttemptReport) => void;
  /** What was refused here and not by policy; may be lost. */
  refused: (report: RefusalReport) => void;
  status: () => PolicyStatus;
  /** Waits until every settle is booked, at most `drainMs`; the rest goes to disk. */
  stop: (drainMs: number) => Promise<void>;
};

/** Nobody waits for a decision whose client has left. */
export type Client = { readonly clientGone: boolean };

export type PolicyStatus = AdmissionStatus & {
  sessionsOpen: number;
  holdsInFlight: number;
  settlesQueued: number;
  settlesKept: number;
  settlesFull: boolean;
};

export type PolicyDeps = {
  addresses: readonly string[];
  sessionsPerAddress: number;
  window: number;
  recycleMs: number;
  authorizeDeadlineMs: number;
  /** Requests that may wait to be decided, and for how long. */
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
  /** One was not decided: too many waited, or it had waited for too long. */
  onQueueRefusal: (reason: AdmissionRefusal) => void;
  /** Monotonic milliseconds. */
  nowMs: () => number;
  wallMs: () => number;
  random: () => number;
};

const SPOOL_LOOK_MS = 30_000;
/** Half of what sessions take at once is for extends and settles, which never wait. */
const AUTHORIZE_SHARE = 0.5;
/** When to come back after a refusal for load. */
const RETRY_AFTER_MS = 1_000;
/** What policy answers when it has too much to do. */
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
    // The first session may open before this function has come to its end.
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
        log.error('a refused settle could not be set aside', { error, settle: settle.message });
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
    // With this many closes unbooked, more work would only grow what a crash could lose.
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
            // A policy of the release before does not know the question. Authorize decides in any case.
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
    if (left.length > 0) log.warn('settles were left on disk', { settles: left.length });
  };

  const replay = async (): Promise<void> => {
    const replayed = await spool.replay((settle, onBooked) => settles.submit(settle, onBooked));
    if (replayed > 0) log.info('settles that were left on disk are sent', { settles: replayed });
  };
  await replay();
  // An edge beside this one, or one that this one has replaced, may leave some later.
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
      // An extension under way answers with the token that the settle must carry.
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
