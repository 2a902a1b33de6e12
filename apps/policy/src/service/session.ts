import {
  createSharedParts,
  type BookedMark,
  type SessionItem__Output,
  type SessionReply,
  type SessionRequest__Output,
  type SessionResult,
  type SharedParts,
} from '@tollgate/contracts/node';
import { TransientMap } from '@tollgate/kit';

import { Failure, invalidArgument } from '../failure';
import type { SessionCall, SessionDeps } from './session-deps';
import { sessionFailureOf } from './session-failure';
import { createSessionFloats, type SessionFloats } from './session-floats';
import { createSessionNews, type SessionNews } from './session-news';
import { sharing } from './sharing';

const FRAME_MAX = 256;
const DEADLINE_CHECK_MS = 25;
/** While items wait, the caller gets a frame this often; without one it gives the session up. */
const SIGN_OF_LIFE_MS = 100;
/** The same while a caller may have holds of floats, which it adopts elsewhere after a second without a frame. */
const HEARTBEAT_MS = 200;
/** How long a caller that was asked to open another session may continue on this one. */
const HANDOVER_MS = 2_000;

interface Pending {
  readonly requestId: string;
  /** By the loop clock. */
  readonly dueMs: number;
}

interface Session extends SessionDeps {
  readonly call: SessionCall;
  readonly pending: TransientMap<number, Pending>;
  results: SessionResult[];
  /** The caller keeps shared parts. */
  shared: SharedParts | undefined;
  /** The caller adopts holds of floats. */
  floats: SessionFloats | undefined;
  readonly booked: Map<number, BookedMark>;
  readonly news: SessionNews;
  flushing: boolean;
  blocked: boolean;
  heartbeatMs: number;
  announceDrain: boolean;
  finishing: boolean;
  over: boolean;
  handover: NodeJS.Timeout | undefined;
  judging: NodeJS.Immediate | undefined;
  wroteAtMs: number;
  /** Ends what this session has started or subscribed to. */
  release: () => void;
}

/**
 * Serves one session until either side ends it. Items run as they arrive, and the replies of one event-loop turn go
 * out together. An item that takes too long is answered as failed; a later allow for it is released.
 */
export function serveSession(call: SessionCall, deps: SessionDeps, draining: AbortSignal): void {
  const session: Session = {
    ...deps,
    call,
    pending: new TransientMap(),
    results: [],
    shared: undefined,
    floats: undefined,
    booked: new Map(deps.bookedMarks.all().map((mark) => [mark.shard ?? 0, mark])),
    news: createSessionNews(),
    flushing: false,
    blocked: false,
    heartbeatMs: Number.POSITIVE_INFINITY,
    announceDrain: false,
    finishing: false,
    over: false,
    handover: undefined,
    judging: undefined,
    wroteAtMs: deps.loopClock.now(),
    release: () => undefined,
  };
  const deadlines = setInterval(lookForLate, DEADLINE_CHECK_MS, session);
  const stopBookedMarks = deps.bookedMarks.subscribe((mark) => {
    session.booked.set(mark.shard ?? 0, mark);
    flushSoon(session);
  });
  const stopReopened = deps.onReopened((shard, epoch) => {
    session.news.reopened(shard, epoch);
    flushSoon(session);
  });
  const onDraining = (): void => drain(session);
  session.release = () => {
    clearInterval(deadlines);
    stopBookedMarks();
    stopReopened();
    draining.removeEventListener('abort', onDraining);
  };
  call.on('data', (frame) => onFrame(session, frame));
  call.on('drain', () => {
    session.blocked = false;
    flushSoon(session);
  });
  call.on('end', () => finishUp(session));
  call.on('cancelled', () => close(session));
  call.on('error', (error) => {
    deps.log.debug('a session broke', { error: error.message });
    close(session);
  });
  draining.addEventListener('abort', onDraining, { once: true });
  if (draining.aborted) drain(session);
  else flushSoon(session);
}

function onFrame(session: Session, frame: SessionRequest__Output): void {
  const { items, attempts, refusals } = frame;
  if (Math.max(items.length, attempts.length, refusals.length) > FRAME_MAX) {
    close(session);
    session.call.fail(
      invalidArgument(`items, attempts, refusals: at most ${String(FRAME_MAX)} in a frame`),
    );
    return;
  }
  if (frame.keepsShared) session.shared ??= createSharedParts();
  if (frame.adoptsFloats && session.sessionFloats !== undefined) {
    session.floats ??= createSessionFloats(session.sessionFloats, session.items, (floatId) => {
      session.news.adopt(floatId);
      flushSoon(session);
    });
  }
  for (const report of attempts) session.reports.take(report);
  for (const report of refusals) void session.edgeRefusals.take(report);
  for (const item of items) accept(session, item);
}

function accept(session: Session, item: SessionItem__Output): void {
  const { correlationId } = item;
  const request = item.authorize ?? item.extend ?? item.settle ?? item.confirmKey;
  const refusal = refusalOf(session, correlationId, request);
  if (refusal !== undefined || !request) {
    answer(session, {
      correlationId,
      failure: sessionFailureOf(refusal ?? invalidArgument('item: empty')),
    });
    return;
  }
  const deadlineAtMs = session.clock.now() + session.itemDeadlineMs;
  const dueMs = session.loopClock.now() + session.itemDeadlineMs;
  const requestId = 'requestId' in request ? request.requestId : '';
  session.pending.set(correlationId, { requestId, dueMs });
  const own = session.pending.get(correlationId);
  work(session, item, deadlineAtMs).then(
    (result) => finish(session, correlationId, own, result),
    (error: unknown) => finish(session, correlationId, own, { failure: sessionFailureOf(error) }),
  );
}

function refusalOf(session: Session, correlationId: number, request: object | undefined | null) {
  if (!request) return invalidArgument('item: none of authorize, extend, settle, confirm_key');
  if (session.pending.has(correlationId)) return invalidArgument('correlation_id: in use');
  if (session.finishing) return new Failure('UNAVAILABLE', 'this process is stopping', 'policy');
  if (session.pending.size + session.results.length >= session.window) {
    return new Failure('RESOURCE_EXHAUSTED', 'too many unanswered items', 'policy');
  }
  return undefined;
}

async function work(
  session: Session,
  item: SessionItem__Output,
  deadlineAtMs: number,
): Promise<Omit<SessionResult, 'correlationId'>> {
  const { floats, items } = session;
  if (item.authorize) {
    return { authorize: await items.authorize(item.authorize, deadlineAtMs, floats) };
  }
  if (item.extend) return { extend: await items.extend(item.extend, deadlineAtMs, floats) };
  // Session callers use only the number of a settle's reply, not the limits.
  if (item.settle) return { settle: await items.settle(item.settle, deadlineAtMs, false) };
  if (item.confirmKey) return { confirmKey: await items.confirmKey(item.confirmKey) };
  throw invalidArgument('item: empty');
}

function finish(
  session: Session,
  correlationId: number,
  own: Pending | undefined,
  result: Omit<SessionResult, 'correlationId'>,
): void {
  if (session.pending.get(correlationId) !== own) {
    // Already answered as late. Whether the edge of a broken session knows that is unknown.
    if (!own || !result.authorize?.allow) return;
    if (session.over) session.items.orphan(own.requestId, result.authorize);
    else session.items.giveBack(own.requestId, result.authorize);
    return;
  }
  const { authorize } = result;
  const isOfFloat = Boolean(authorize?.allow?.floatId);
  // The edge of a broken session repeats the request elsewhere and may own the hold: leave it
  // alone, unless only this process knows it.
  if (session.over) {
    if (authorize && isOfFloat) session.items.orphan(own?.requestId ?? '', authorize);
    return;
  }
  session.pending.delete(correlationId);
  if (authorize && isOfFloat) session.floats?.decided(own?.requestId ?? '', authorize);
  answer(session, { correlationId, ...result });
}

function answer(session: Session, result: SessionResult): void {
  if (result.authorize?.allow?.floatId || result.extend?.floatId)
    session.heartbeatMs = HEARTBEAT_MS;
  session.results.push(result);
  session.news.queued();
  flushSoon(session);
}

function flushSoon(session: Session): void {
  if (session.flushing || session.over) return;
  session.flushing = true;
  setImmediate(flush, session);
}

function flush(session: Session): void {
  session.flushing = false;
  session.news.endTurn();
  if (session.over || session.blocked) return;
  session.wroteAtMs = session.loopClock.now();
  do {
    const results = session.results.splice(0, FRAME_MAX);
    const frame: SessionReply = {
      ...sharing(session.shared, results),
      ...session.news.with(results.length),
      booked: [...session.booked.values()],
      draining: session.announceDrain,
    };
    if (session.booked.size > 0) session.booked.clear();
    // From the first float that it hears of, the caller expects a sign of life.
    if (frame.adoptFloats) session.heartbeatMs = HEARTBEAT_MS;
    if (!session.call.write(frame)) session.blocked = true;
    session.floats?.wrote(results);
  } while (session.results.length > 0 && !session.blocked);
  if (session.finishing && session.pending.size === 0 && session.results.length === 0) {
    close(session);
    session.call.end();
  }
}

// After the process was blocked, this timer fires before the waiting replies are read: items are
// checked after those.
function lookForLate(session: Session): void {
  session.judging ??= setImmediate(failLate, session);
}

// Items are checked in order of arrival; all have the same deadline.
function failLate(session: Session): void {
  session.judging = undefined;
  const nowMs = session.loopClock.now();
  const silentMs = nowMs - session.wroteAtMs;
  const everyMs = session.pending.size > 0 ? SIGN_OF_LIFE_MS : session.heartbeatMs;
  if (silentMs >= everyMs) flushSoon(session);
  for (const [correlationId, { dueMs }] of session.pending.entries()) {
    if (dueMs > nowMs) return;
    session.pending.delete(correlationId);
    const failure = new Failure('DEADLINE_EXCEEDED', 'the item was not decided in time', 'policy');
    answer(session, { correlationId, failure: sessionFailureOf(failure) });
  }
}

function drain(session: Session): void {
  session.announceDrain = true;
  session.handover = setTimeout(finishUp, HANDOVER_MS, session);
  flushSoon(session);
}

function finishUp(session: Session): void {
  session.finishing = true;
  flushSoon(session);
}

function close(session: Session): void {
  session.over = true;
  clearImmediate(session.judging);
  clearTimeout(session.handover);
  session.release();
  session.results = [];
  session.floats?.end();
}
