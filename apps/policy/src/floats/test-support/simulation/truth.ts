import { FLOAT_PARAMETERS } from '../..';
import type { AuthorizeCounter, StoredCounter } from '../../../store';
import { matches } from '../../../store/test-support/simulation/fake-catalog';
import {
  amountOf,
  breach,
  isAlive,
  limitOf,
  script,
  type Request,
  type SimLimit,
  type World,
} from './world';

// What has truly been admitted, compared with the limits whenever an edge begins a request.

const MINUTE_MS = 60_000;

/** The truth about a request: what it has cost or may still cost. */
function amountNow(w: World, r: Request, one: SimLimit): bigint {
  const record = w.catalog.records.get(r.id);
  const booked = record?.usage[one.metric] ?? 0n;
  if (!isAlive(w, r)) return booked;
  if (r.state === 'RUNNING') {
    const held = amountOf(one, r.amounts);
    return held > booked ? held : booked;
  }
  // A late settle lowers what was booked as abandoned.
  if (r.state === 'ENDED' && r.end?.mode === 'SETTLED') return amountOf(one, r.spent);
  return booked;
}

// A limit that is new does not count a request before Redis has been told of it: a decision that was
// made before, and answered after, could not know. Nor could a memory since its last answer.
function admitted(w: World, one: SimLimit, c: AuthorizeCounter, knownAt: number): bigint {
  let sum = 0n;
  for (const r of w.requests) {
    if (r.at < c.windowStartMs || r.at >= c.windowEndMs || !matches(one, r.dimensions)) continue;
    const under = r.counters.some(
      (other) =>
        other.limitId === c.limitId &&
        other.windowStartMs === c.windowStartMs &&
        other.windowEndMs === c.windowEndMs,
    );
    const told = r.toldAt !== undefined && r.toldAt <= knownAt;
    if (under || told) sum += amountNow(w, r, one);
  }
  return sum;
}

// A loss of data forgets rates. What a policy decides from memory before it has learnt of the loss
// counts as decided before it: its float is lost with its epoch.
function usedInMinute(w: World, one: SimLimit, epoch: number): bigint {
  let sum = 0n;
  for (const r of w.requests) {
    if (r.epoch !== epoch || r.startedAt <= w.now - MINUTE_MS) continue;
    if (!r.counters.some(({ limitId }) => limitId === one.limitId)) continue;
    if (r.state === 'RUNNING') sum += amountOf(one, r.amounts);
    if (r.state === 'ENDED' && r.end?.mode === 'SETTLED') sum += amountOf(one, r.spent);
  }
  return sum;
}

/** What is used is counted, held or in a float: no limit needs to be passed to see it. */
export async function checkCounters(w: World): Promise<void> {
  // After a loss of data nobody decides before edges have told again what they run. Leases that nobody
  // extends end.
  if (w.now < w.completeFrom || w.endless) return;
  const counters = await script(w, () => w.store.readCounters(w.shard, w.limits));
  for (const [i, one] of w.limits.entries()) {
    const counter = counters[i];
    if (counter === undefined) continue;
    const counted = (counter.settled ?? 0n) + counter.held;
    const used = usedOf(w, one, counter);
    if (used > counted) breach(w, `${one.limitId}: ${used} are used, ${counted} are counted`);
  }
}

function usedOf(w: World, one: SimLimit, { settled, windowStartMs, windowEndMs }: StoredCounter) {
  if (one.kind === 'RATE') return usedInMinute(w, one, w.epoch);
  if (one.kind === 'CONCURRENCY') return runningUnder(w, one);
  // A cold counter is not compared with anything.
  if (one.kind === 'POST_PAID' || settled === null) return 0n;
  let sum = 0n;
  for (const r of w.requests) {
    const counts = r.counters.some(
      (c) =>
        c.limitId === one.limitId &&
        c.windowStartMs === windowStartMs &&
        c.windowEndMs === windowEndMs,
    );
    if (counts) sum += amountNow(w, r, one);
  }
  return sum;
}

function runningUnder(w: World, one: SimLimit): bigint {
  const running = w.requests.filter(
    (r) =>
      r.state === 'RUNNING' &&
      isAlive(w, r) &&
      r.counters.some(({ limitId }) => limitId === one.limitId),
  );
  return BigInt(running.length);
}

/** The highest value that any policy knows of the limit. */
function capOf(w: World, c: AuthorizeCounter): bigint {
  return w.policies.reduce((most, { plan }) => {
    const cap = plan.find(({ limitId }) => limitId === c.limitId)?.cap ?? 0n;
    return cap > most ? cap : most;
  }, c.limit);
}

/** No true amount may exceed its limit when a request begins. `decidedAt`: by the time of Redis. */
export function judge(
  w: World,
  r: Request,
  checked: readonly AuthorizeCounter[],
  decidedAt: number,
): void {
  for (const c of checked) {
    const one = limitOf(w, c.limitId);
    const cap = capOf(w, c);
    const from = r.floatId === '' ? 'exactly' : `from ${r.floatId}`;
    const knownAt = r.floatId === '' ? decidedAt : decidedAt - FLOAT_PARAMETERS.unpostedMaxMs;
    const fail = (sum: bigint, what: string): void => {
      if (sum > cap) breach(w, `${r.id} began ${from} at ${sum} of ${cap} ${what} in ${c.limitId}`);
    };
    if (c.kind === 'WINDOW') fail(admitted(w, one, c, knownAt), 'admitted');
    if (c.kind === 'RATE') fail(usedInMinute(w, one, r.epoch), 'a minute');
    if (c.kind === 'CONCURRENCY') fail(runningUnder(w, one), 'at once');
  }
}
