import type {
  BookedMark,
  SessionFailure,
  SessionItem__Output,
  SessionReply,
  SessionRequest__Output,
  SessionResult,
} from '@tollgate/contracts/node';
import { TransientMap, type Clock, type Logger } from '@tollgate/kit';

import { Failure, invalidArgument } from '../failure';
import type { BookedMarks } from '../ledger';
import type { Reports } from '../routing';
import type { EdgeRefusals } from './edge-refusals';
import type { Items } from './items';

/** The part of grpc-js's duplex call that a session uses. */
export interface SessionCall {
  readonly on: ((event: 'data', listener: (frame: SessionRequest__Output) => void) => unknown) &
    ((event: 'end' | 'drain' | 'cancelled', listener: () => void) => unknown) &
    ((event: 'error', listener: (error: Error) => void) => unknown);
  readonly write: (frame: SessionReply) => boolean;
  readonly end: () => void;
  readonly fail: (failure: Failure) => void;
}

export interface SessionDeps {
  readonly items: Items;
  readonly bookedMarks: BookedMarks;
  readonly reports: Pick<Reports, 'take'>;
  readonly edgeRefusals: EdgeRefusals;
  /** Shards that have lost data, as this process finds out. */
  readonly onReopened: (listener: (shard: number) => void) => () => void;
  readonly itemDeadlineMs: number;
  /** Most unanswered items. */
  readonly window: number;
  readonly clock: Clock;
  /** Measures item deadlines; does not advance while the process is blocked. */
  readonly loopClock: Clock;
  readonly log: Logger;
}

const FRAME_MAX = 256;
const DEADLINE_CHECK_MS = 25;
/** While items wait, the caller gets a frame this often; without one it gives the session up. */
const SIGN_OF_LIFE_MS = 100;
/** How long a caller that was asked to open another session may continue on this one. */
const HANDOVER_MS = 2_000;

interface Pending {
  readonly requestId: string;
  /** By the loop clock. */
  readonly dueMs: number;
}

/**
 * Serves one session until either side ends it. Items run as they arrive, and the replies of one
 * event-loop turn go out together. An item that takes too long is answered as failed; a later allow
 * for it is released.
 */
export function serveSession(call: SessionCall, deps: SessionDeps, draining: AbortSignal): void {
  const pending = new TransientMap<number, Pending>();
  let results: SessionResult[] = [];
  const booked = new Map<number, BookedMark>(
    deps.bookedMarks.all().map((mark) => [mark.shard ?? 0, mark]),
  );
  const reopened = new Set<number>();
  let flushing = false;
  let blocked = false;
  let announceDrain = false;
  let finishing = false;
  let over = false;
  let handover: NodeJS.Timeout | undefined;
  let judging: NodeJS.Immediate | undefined;
  let wroteAtMs = deps.loopClock.now();

  const onFrame = (frame: SessionRequest__Output): void => {
    const { items, attempts, refusals } = frame;
    if (Math.max(items.length, attempts.length, refusals.length) > FRAME_MAX) {
      close();
      call.fail(
        invalidArgument(`items, attempts, refusals: at most ${String(FRAME_MAX)} in a frame`),
      );
      return;
    }
    for (const report of attempts) deps.reports.take(report);
    for (const report of refusals) void deps.edgeRefusals.take(report);
    for (const item of items) accept(item);
  };

  const accept = (item: SessionItem__Output): void => {
    const { correlationId } = item;
    const request = item.authorize ?? item.extend ?? item.settle ?? item.confirmKey;
    const refusal = refusalOf(correlationId, request);
    if (refusal !== undefined || !request) {
      answer({ correlationId, failure: failureOf(refusal ?? invalidArgument('item: empty')) });
      return;
    }
    const deadlineAtMs = deps.clock.now() + deps.itemDeadlineMs;
    const dueMs = deps.loopClock.now() + deps.itemDeadlineMs;
    const requestId = 'requestId' in request ? request.requestId : '';
    pending.set(correlationId, { requestId, dueMs });
    const own = pending.get(correlationId);
    work(item, deadlineAtMs).then(
      (result) => finish(correlationId, own, result),
      (error: unknown) => finish(correlationId, own, { failure: failureOf(error) }),
    );
  };

  const refusalOf = (correlationId: number, request: object | undefined | null) => {
    if (!request) return invalidArgument('item: none of authorize, extend, settle, confirm_key');
    if (pending.has(correlationId)) return invalidArgument('correlation_id: in use');
    if (finishing) return new Failure('UNAVAILABLE', 'this process is stopping', 'policy');
    if (pending.size + results.length >= deps.window) {
      return new Failure('RESOURCE_EXHAUSTED', 'too many unanswered items', 'policy');
    }
    return undefined;
  };

  const work = async (
    item: SessionItem__Output,
    deadlineAtMs: number,
  ): Promise<Omit<SessionResult, 'correlationId'>> => {
    if (item.authorize)
      return { authorize: await deps.items.authorize(item.authorize, deadlineAtMs) };
    if (item.extend) return { extend: await deps.items.extend(item.extend, deadlineAtMs) };
    // Session callers use only the number of a settle's reply, not the limits.
    if (item.settle) return { settle: await deps.items.settle(item.settle, deadlineAtMs, false) };
    if (item.confirmKey) return { confirmKey: await deps.items.confirmKey(item.confirmKey) };
    throw invalidArgument('item: empty');
  };

  const finish = (
    correlationId: number,
    own: Pending | undefined,
    result: Omit<SessionResult, 'correlationId'>,
  ): void => {
    if (pending.get(correlationId) !== own) {
      // Already answered as late. Whether the edge of a broken session knows that is unknown.
      if (!own || !result.authorize?.allow) return;
      if (over) deps.items.orphan(own.requestId, result.authorize);
      else deps.items.giveBack(own.requestId, result.authorize);
      return;
    }
    // The edge of a broken session repeats the request elsewhere and may own the hold: leave it
    // alone.
    if (over) return;
    pending.delete(correlationId);
    answer({ correlationId, ...result });
  };

  const answer = (result: SessionResult): void => {
    results.push(result);
    flushSoon();
  };

  const flushSoon = (): void => {
    if (flushing || over) return;
    flushing = true;
    setImmediate(flush);
  };

  const flush = (): void => {
    flushing = false;
    if (over || blocked) return;
    wroteAtMs = deps.loopClock.now();
    do {
      const frame: SessionReply = {
        results: results.splice(0, FRAME_MAX),
        booked: [...booked.values()],
        reopenedShards: [...reopened],
        draining: announceDrain,
      };
      if (booked.size > 0) booked.clear();
      if (reopened.size > 0) reopened.clear();
      if (!call.write(frame)) blocked = true;
    } while (results.length > 0 && !blocked);
    if (finishing && pending.size === 0 && results.length === 0) {
      close();
      call.end();
    }
  };

  // After the process was blocked, this timer fires before the waiting replies are read: items are
  // checked after those.
  const lookForLate = (): void => {
    judging ??= setImmediate(failLate);
  };

  // Items are checked in order of arrival; all have the same deadline.
  const failLate = (): void => {
    judging = undefined;
    const nowMs = deps.loopClock.now();
    if (pending.size > 0 && nowMs - wroteAtMs >= SIGN_OF_LIFE_MS) flushSoon();
    for (const [correlationId, { dueMs }] of pending.entries()) {
      if (dueMs > nowMs) return;
      pending.delete(correlationId);
      const failure = new Failure(
        'DEADLINE_EXCEEDED',
        'the item was not decided in time',
        'policy',
      );
      answer({ correlationId, failure: failureOf(failure) });
    }
  };

  const drain = (): void => {
    announceDrain = true;
    handover = setTimeout(finishUp, HANDOVER_MS);
    flushSoon();
  };

  const finishUp = (): void => {
    finishing = true;
    flushSoon();
  };

  const close = (): void => {
    over = true;
    clearInterval(deadlines);
    clearImmediate(judging);
    clearTimeout(handover);
    stopBookedMarks();
    stopReopened();
    draining.removeEventListener('abort', drain);
    results = [];
  };

  const deadlines = setInterval(lookForLate, DEADLINE_CHECK_MS);
  const stopBookedMarks = deps.bookedMarks.subscribe((mark) => {
    booked.set(mark.shard ?? 0, mark);
    flushSoon();
  });
  const stopReopened = deps.onReopened((shard) => {
    reopened.add(shard);
    flushSoon();
  });
  call.on('data', onFrame);
  call.on('drain', () => {
    blocked = false;
    flushSoon();
  });
  call.on('end', finishUp);
  call.on('cancelled', close);
  call.on('error', (error) => {
    deps.log.debug('a session broke', { error: error.message });
    close();
  });
  draining.addEventListener('abort', drain, { once: true });
  if (draining.aborted) drain();
  else flushSoon();
}

function failureOf(error: unknown): SessionFailure {
  const failure =
    error instanceof Failure ? error : new Failure('UNAVAILABLE', 'internal error', 'policy');
  return {
    code: failure.code,
    message: failure.message,
    dependency: failure.dependency ?? '',
  };
}
