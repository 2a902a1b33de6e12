import fc from 'fast-check';

import type { AuthorizeCounter, AuthorizeItem, AuthorizeOutcome, RouteItem, Store } from '.';
import { onEveryBackend, onOneBackend, type Bench } from './test-support/backends';
import { lent, posterOf } from './test-support/floats';
import {
  budget,
  concurrency,
  LEASE_MS,
  NEXT_WINDOW,
  NOW,
  openShard,
  rate,
  warmShard,
  WINDOW,
  type Shard,
} from './test-support/requests';

// A try says what authorize and route would answer, and leaves every key as it is.

const itemOf = (s: Shard, requestId: string, counters: AuthorizeCounter[]): AuthorizeItem => ({
  shard: s.shard,
  epoch: 1,
  requestId,
  ticketText: `ticket ${requestId}`,
  leaseMs: LEASE_MS,
  counters,
});

/** Every key of the shard; Redis lists them in no order. */
const keysOf = async (bench: Bench, shard: number) =>
  (await bench.snapshot(shard)).map((command) => command.join(' ')).toSorted();

/** Tries, and fails if any key of the shard has changed. */
async function tried(s: Shard, counters: AuthorizeCounter[]): Promise<AuthorizeOutcome> {
  const before = await keysOf(s.bench, s.shard);
  const outcome = await s.store.tryAuthorize(itemOf(s, 'tried', counters));
  expect(await keysOf(s.bench, s.shard)).toEqual(before);
  return outcome;
}

onEveryBackend((bench: () => Bench) => {
  let store: Store;
  beforeAll(async () => {
    store = await bench().store();
  });

  test('the amounts are those before the request, and nothing is held', async () => {
    const s = await warmShard(bench(), store, 100n);
    await s.authorize('running', [budget(1_000n, 50n)]);
    expect(await tried(s, [budget(1_000n, 850n)])).toMatchObject({
      kind: 'ALLOW',
      nowMs: NOW,
      already: false,
      softExceeded: [],
      states: [{ limitId: 'b1', settled: 100n, held: 50n }],
    });
    expect(await s.authorize('next', [budget(1_000n, 850n)])).toMatchObject({ kind: 'ALLOW' });
  });

  test('names every limit that refuses, and when a rate has room again', async () => {
    const s = await warmShard(bench(), store, 100n);
    await s.authorize('running', [budget(1_000n, 50n), rate(3n, 3n), concurrency(1n)]);
    const counters = [budget(1_000n, 851n), rate(3n, 1n), concurrency(1n)];
    const outcome = await tried(s, counters);
    expect(outcome).toMatchObject({ kind: 'DENY', limitIds: ['b1', 'l1:rpm', 'l1:conc'] });
    expect(outcome).not.toHaveProperty('lent');
    const real = await s.authorize('next', counters);
    if (outcome.kind !== 'DENY' || real.kind !== 'DENY') throw new Error('it was allowed');
    const withoutFloats = real.states.map((state) => ({ ...state, lent: 0n }));
    expect(outcome.states).toEqual(withoutFloats);
  });

  test('cold counters stay cold', async () => {
    const s = await openShard(bench(), store);
    expect(await tried(s, [budget(1_000n, 1n)])).toEqual({ kind: 'COLD', limitIds: ['b1'] });
    expect(await s.settled()).toBeNull();
  });

  test('a window that has passed is not begun anew', async () => {
    const s = await warmShard(bench(), store, 900n);
    await s.at(NEXT_WINDOW.windowStartMs);
    const counters = [budget(1_000n, 500n, NEXT_WINDOW)];
    expect(await tried(s, counters)).toMatchObject({ kind: 'ALLOW', states: [{ settled: 0n }] });
    expect(await s.settled()).toBe(900n);
  });

  test('free parts of floats do not refuse, and are not wanted back', async () => {
    const s = await warmShard(bench(), store, 100n);
    const float = posterOf(s);
    await float.post([lent(1_000n, { want: 700n })]);
    const outcome = await tried(s, [budget(1_000n, 300n)]);
    expect(outcome).toMatchObject({
      kind: 'ALLOW',
      states: [{ settled: 100n, held: 700n, lent: 700n }],
    });
    expect(await tried(s, [budget(1_000n, 901n)])).toMatchObject({
      kind: 'DENY',
      limitIds: ['b1'],
      states: [{ lent: 700n }],
    });
    // A real request has them given back.
    expect(await s.authorize('next', [budget(1_000n, 300n)])).toMatchObject({ lent: true });
  });

  test('a closed shard, another window and another epoch are told as they are', async () => {
    const s = await openShard(bench(), store, 5_000);
    expect(await tried(s, [])).toMatchObject({ kind: 'CLOSED' });
    await s.at(NOW + 5_000);
    expect(await tried(s, [budget(1n, 1n, NEXT_WINDOW)])).toMatchObject({ kind: 'CLOCK' });
    const item = { ...itemOf(s, 'x', []), epoch: 2 };
    expect(await store.tryAuthorize(item)).toMatchObject({ kind: 'EPOCH' });
  });

  test('the next turn is told and not taken, and a probe stays for another', async () => {
    const s = await openShard(bench(), store);
    const route = (changes: Partial<RouteItem> = {}): RouteItem => ({
      shard: s.shard,
      apiKeyId: 'key',
      policyId: 'policy',
      strict: false,
      rotates: true,
      stream: false,
      probeMs: 2_000,
      forgetMs: 20_000,
      candidates: ['m0', 'm1'].map((modelId, place) => ({ providerId: 'p', modelId, place })),
      ...changes,
    });
    const same = async () => {
      const before = await keysOf(bench(), s.shard);
      const found = await store.tryRoute(route());
      expect(await keysOf(bench(), s.shard)).toEqual(before);
      return found;
    };
    for (let request = 0; request < 3; request += 1) {
      const next = await same();
      expect(await same()).toEqual(next);
      expect(await store.route(route())).toEqual(next);
    }
    const returned = await store.route(route());
    const turn = returned.turn && { ...returned.turn, apiKeyId: 'key', policyId: 'policy' };
    await store.unroute({ shard: s.shard, turn, probe: undefined });
    expect((await same()).turn).toEqual(returned.turn);

    const figures = {
      windowMs: 10_000,
      leastFailures: 1,
      failurePercent: 50,
      openMs: 5_000,
      forgetMs: 20_000,
      cooldownMaxMs: 60_000,
    };
    await store.attempted({
      shard: s.shard,
      providerId: 'p',
      modelId: 'm0',
      verdict: 'FAILURE',
      counted: false,
      probe: false,
      waitMs: 0,
      stream: false,
      latencyUs: undefined,
      figures,
    });
    await s.at(NOW + 5_000);
    const probing = await same();
    expect(probing.states[0]?.state).toBe('PROBE');
    expect(await store.route(route())).toEqual(probing);
    // A breaker that nobody probed is not reset by a look either.
    await s.at(NOW + 60_000);
    expect((await same()).states[0]?.state).toBe('CLOSED');
  });
});

const amount = fc.bigInt({ min: 0n, max: 40n });
const limits = fc.constantFrom(30n, 60n, 1_000n);
const windowed = fc.record({
  limitId: fc.constantFrom('b1', 'b2', 'cold'),
  kind: fc.constantFrom('WINDOW' as const, 'WINDOW' as const, 'POST_PAID' as const),
  window: fc.constantFrom(WINDOW, WINDOW, NEXT_WINDOW),
  limit: limits,
  soft: fc.boolean(),
  amount,
});
const counters = fc
  .record({
    windows: fc.uniqueArray(windowed, { maxLength: 2, selector: ({ limitId }) => limitId }),
    rates: fc.array(fc.tuple(limits, amount), { maxLength: 1 }),
    atOnce: fc.array(fc.constantFrom(2n, 5n), { maxLength: 1 }),
  })
  .map(({ windows, rates, atOnce }): AuthorizeCounter[] => [
    ...windows.map(({ window, kind, amount: held, ...c }) => ({
      ...c,
      ...window,
      kind,
      amount: kind === 'POST_PAID' ? 0n : held,
    })),
    ...rates.map(([limit, use]) => rate(limit, use)),
    ...atOnce.map((limit) => concurrency(limit)),
  ]);
const steps = fc.array(
  fc.record({ counters, passes: fc.constantFrom(0, 40, 30_000, 61_000, 3_600_000) }),
  { minLength: 1, maxLength: 12 },
);

const RUNS = Number(process.env['TRY_RUNS'] ?? 40);

onOneBackend((bench: () => Bench) => {
  test('whatever has happened, a try decides as the request after it', async () => {
    const store = await bench().store();
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        const s = await openShard(bench(), store);
        await s.seed([{}, { limitId: 'b2', total: 20n }]);
        let now = NOW;
        for (const [i, { counters: asked, passes }] of history.entries()) {
          now += passes;
          await s.at(now);
          const foreseen = await tried(s, asked);
          const real = await s.authorize(`r${String(i)}`, asked);
          expect(decisionOf(foreseen, asked)).toEqual(decisionOf(real, []));
        }
      }),
      { numRuns: RUNS },
    );
  });
});

/** What the two have in common: the amounts of an allow differ by what the request itself holds. */
function decisionOf(outcome: AuthorizeOutcome, added: readonly AuthorizeCounter[]) {
  if (outcome.kind !== 'ALLOW' && outcome.kind !== 'DENY') return outcome;
  const taken = outcome.kind === 'ALLOW' ? added : [];
  const states = outcome.states.map(({ limitId, settled, held, retryAtMs }, i) => {
    const more = taken[i]?.kind === 'POST_PAID' ? 0n : (taken[i]?.amount ?? 0n);
    const used = settled === null ? null : settled + held + more;
    return { limitId, used, retryAtMs };
  });
  const { kind, nowMs, softExceeded } = outcome;
  const refused = outcome.kind === 'DENY' ? [outcome.limitIds, outcome.coldLimitIds] : [];
  return { kind, nowMs, softExceeded, refused, states };
}
