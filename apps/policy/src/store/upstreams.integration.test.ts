import type { AttemptedItem, BreakerFigures, RouteItem, Store } from '.';
import { onEveryBackend, type Bench } from './test-support/backends';
import { NOW } from './test-support/requests';
import type { Conversation } from './upstreams';

// Breakers, cooldowns, latencies and turns of upstreams with exact figures, by a test clock.

const FIGURES: BreakerFigures = {
  windowMs: 10_000,
  leastFailures: 3,
  failurePercent: 50,
  openMs: 5_000,
  forgetMs: 20_000,
  cooldownMaxMs: 60_000,
};
const upstream = (modelId: string) => ({ providerId: 'provider', modelId });

onEveryBackend((bench: () => Bench) => {
  const begin = async (stores = 1) => {
    const shard = bench().freshShard();
    const open: Store[] = [];
    for (let n = 0; n < stores; n += 1) open.push(await bench().store());
    const [store] = open;
    if (store === undefined) throw new Error('no store');
    const at = (ms: number) => bench().setTime(shard, NOW + ms);
    await at(0);
    const attempt = (modelId: string, changes: Partial<AttemptedItem> = {}) =>
      store.attempted({
        ...upstream(modelId),
        shard,
        verdict: 'SUCCESS',
        counted: false,
        probe: false,
        waitMs: 0,
        stream: false,
        latencyUs: undefined,
        figures: FIGURES,
        ...changes,
      });
    const fail = async (modelId: string, times: number) => {
      let last = await attempt(modelId, { verdict: 'FAILURE' });
      for (let n = 1; n < times; n += 1) last = await attempt(modelId, { verdict: 'FAILURE' });
      return last;
    };
    const item = (models: readonly string[], changes: Partial<RouteItem> = {}): RouteItem => ({
      shard,
      apiKeyId: 'key',
      policyId: 'policy',
      strict: true,
      rotates: false,
      stream: false,
      probeMs: 2_000,
      forgetMs: FIGURES.forgetMs,
      candidates: models.map((modelId, place) => ({ ...upstream(modelId), place })),
      ...changes,
    });
    const states = async (models: readonly string[], changes: Partial<RouteItem> = {}) =>
      (await store.route(item(models, changes))).states.map(({ state }) => state);
    const turn = async (models: readonly string[], by = store) =>
      (await by.route(item(models, { strict: false, rotates: true }))).turn;
    return { store, stores: open, shard, at, attempt, fail, item, states, turn };
  };

  test('opens at its figures and not before', async () => {
    const { attempt, fail, states, at } = await begin();
    for (let n = 0; n < 4; n += 1) await attempt('a');
    expect(await fail('a', 3)).toMatchObject({ changed: false, state: 'CLOSED' });
    expect(await fail('a', 1)).toEqual({
      changed: true,
      state: 'OPEN',
      nowMs: NOW,
      untilMs: NOW + FIGURES.openMs,
      cooldownUntilMs: 0,
      attempts: 8,
      failures: 4,
    });
    expect(await fail('b', 2)).toMatchObject({ changed: false, state: 'CLOSED' });
    expect(await states(['a', 'b'])).toEqual(['OPEN', 'CLOSED']);
    await at(FIGURES.openMs - 1);
    expect(await states(['a'])).toEqual(['OPEN']);
  });

  describe('a conversation that was moved', () => {
    const KEPT_MS = 60_000;
    const MOST = 20;
    const kept = { keptMs: KEPT_MS, most: MOST, released: false };
    const begun = async () => {
      const rig = await begin(2);
      const models = ['a', 'b', 'c'];
      const ask = (n: number, more: Partial<Conversation> = {}, by = rig.store) => {
        const id = Buffer.alloc(8);
        id.writeUInt32BE(n);
        return by.route(rig.item(models, { conversation: { id, ...kept, ...more } }));
      };
      const whereIs = async (n: number, more?: Partial<Conversation>, by?: Store) =>
        models[(await ask(n, more, by)).moved ?? 0];
      return { ...rig, ask, whereIs, other: rig.stores[1] };
    };

    test('stays after its first candidate is back, wherever its turns are decided', async () => {
      const { at, attempt, fail, other, whereIs } = await begun();
      expect(await whereIs(1)).toBe('a');
      await fail('a', 3);
      expect(await whereIs(1)).toBe('b');
      await at(FIGURES.openMs);
      // It does not probe what it has left; a conversation that is still there does.
      expect(await whereIs(1)).toBe('b');
      expect(await whereIs(2)).toBe('a');
      await attempt('a', { probe: true });
      expect(await whereIs(1, {}, other)).toBe('b');
      expect(await whereIs(3)).toBe('a');
    });

    test('is remembered for its time after its last turn', async () => {
      const { at, fail, whereIs } = await begun();
      await fail('a', 3);
      await whereIs(1);
      await at(FIGURES.openMs + FIGURES.forgetMs);
      expect(await whereIs(1)).toBe('b');
      await at(FIGURES.openMs + FIGURES.forgetMs + KEPT_MS - 1);
      expect(await whereIs(1)).toBe('b');
      await at(FIGURES.openMs + FIGURES.forgetMs + 2 * KEPT_MS + 1_000);
      expect(await whereIs(1)).toBe('a');
    });

    test('goes back when its prompt begins anew', async () => {
      const { at, fail, whereIs } = await begun();
      await fail('a', 3);
      await whereIs(1);
      await at(FIGURES.openMs + FIGURES.forgetMs);
      expect(await whereIs(1, { released: true })).toBe('a');
      expect(await whereIs(1)).toBe('a');
    });

    test('moves again when that candidate is away too, and is then remembered there', async () => {
      const { at, fail, whereIs } = await begun();
      await fail('a', 3);
      await whereIs(1);
      await fail('b', 3);
      expect(await whereIs(1)).toBe('c');
      await at(FIGURES.openMs + FIGURES.forgetMs);
      expect(await whereIs(1)).toBe('c');
    });

    test('is remembered by an attempt that answered in its place, and not by one that failed', async () => {
      const { attempt, whereIs } = await begun();
      const id = Buffer.alloc(8);
      id.writeUInt32BE(1);
      const moves = { id, keptMs: KEPT_MS, most: MOST, apiKeyId: 'key', policyId: 'policy' };
      await attempt('b', { verdict: 'FAILURE', moves });
      expect(await whereIs(1)).toBe('a');
      await attempt('c', { moves });
      expect(await whereIs(1)).toBe('c');
      await attempt('c', { moves: { ...moves, keptMs: 0 } });
      expect(await whereIs(1)).toBe('a');
      await attempt('c', { moves });
      expect(await whereIs(2)).toBe('a');
    });

    test('is not remembered by a try, nor without a need', async () => {
      const { at, fail, item, store, whereIs } = await begun();
      const id = Buffer.alloc(8, 7);
      const conversation = { id, ...kept };
      await store.route(item(['a', 'b'], { conversation }));
      await fail('a', 3);
      const tried = await store.tryRoute(item(['a', 'b'], { conversation }));
      expect(tried.moved).toBeUndefined();
      await at(FIGURES.openMs + FIGURES.forgetMs);
      expect((await store.route(item(['a', 'b'], { conversation }))).moved).toBeUndefined();
      expect(await whereIs(1)).toBe('a');
    });

    test('is forgotten before those that moved later, when they are too many', async () => {
      const { at, ask, fail, whereIs } = await begun();
      await fail('a', 3);
      await ask(0);
      await at(1_000);
      for (let n = 1; n <= MOST; n += 1) await ask(n);
      await at(FIGURES.openMs + FIGURES.forgetMs);
      expect(await whereIs(0)).toBe('a');
      expect(await whereIs(1)).toBe('b');
      expect(await whereIs(MOST)).toBe('b');
    });
  });

  test('forgets failures that are older than the window', async () => {
    const { fail, at } = await begin();
    await fail('a', 2);
    await at(FIGURES.windowMs);
    expect(await fail('a', 2)).toMatchObject({ changed: false, failures: 2 });
    expect(await fail('a', 1)).toMatchObject({ changed: true, state: 'OPEN' });
  });

  test('opens for streams that begin well and fail then, each counted once', async () => {
    const { attempt } = await begin();
    const figures = { ...FIGURES, failurePercent: 100 };
    const stream = async () => {
      await attempt('a', { figures });
      return attempt('a', { figures, verdict: 'FAILURE', counted: true });
    };
    await stream();
    expect(await stream()).toMatchObject({ state: 'CLOSED', attempts: 2, failures: 2 });
    // One success among three attempts; the failures need not be last.
    await attempt('a', { figures });
    expect(await stream()).toMatchObject({ state: 'CLOSED', attempts: 4, failures: 3 });
    const other = async () => {
      await attempt('b', { figures });
      return attempt('b', { figures, verdict: 'FAILURE', counted: true });
    };
    await other();
    await other();
    expect(await other()).toMatchObject({ changed: true, state: 'OPEN', attempts: 3, failures: 3 });
  });

  test('lets one request probe, and closes by its success', async () => {
    const { attempt, fail, states, at } = await begin();
    await fail('a', 3);
    await at(FIGURES.openMs);
    expect(await states(['a'])).toEqual(['PROBE']);
    expect(await states(['a'])).toEqual(['PROBING']);
    expect(await attempt('a')).toMatchObject({ changed: false, state: 'HALF_OPEN' });
    expect(await attempt('a', { probe: true })).toMatchObject({ changed: true, state: 'CLOSED' });
    expect(await states(['a'])).toEqual(['CLOSED']);
    expect(await fail('a', 2)).toMatchObject({ state: 'CLOSED', failures: 2 });
  });

  test('opens again by a probe that fails, and lets another probe when one is silent', async () => {
    const { attempt, fail, states, at } = await begin();
    await fail('a', 3);
    await at(FIGURES.openMs);
    await states(['a']);
    const failed = await attempt('a', { verdict: 'FAILURE', probe: true });
    expect(failed).toMatchObject({ changed: true, state: 'OPEN' });
    expect(failed.untilMs).toBe(NOW + 2 * FIGURES.openMs);
    await at(2 * FIGURES.openMs);
    expect(await states(['a'])).toEqual(['PROBE']);
    await at(2 * FIGURES.openMs + 2_000);
    expect(await states(['a'])).toEqual(['PROBE']);
    await attempt('a', { verdict: 'NEITHER', probe: true });
    expect(await states(['a'])).toEqual(['PROBE']);
  });

  test('is not probed behind something healthy where order matters, and closes by time', async () => {
    const { fail, states, at } = await begin();
    await fail('b', 3);
    await at(FIGURES.openMs);
    expect(await states(['a', 'b'])).toEqual(['CLOSED', 'OPEN']);
    expect(await states(['a', 'b'], { strict: false })).toEqual(['CLOSED', 'PROBE']);
    await at(FIGURES.openMs + FIGURES.forgetMs);
    expect(await states(['a', 'b'])).toEqual(['CLOSED', 'CLOSED']);
  });

  test('one request probes one upstream', async () => {
    const { fail, states, at } = await begin();
    await fail('a', 3);
    await fail('b', 3);
    await at(FIGURES.openMs);
    expect(await states(['a', 'b'])).toEqual(['PROBE', 'PROBING']);
  });

  test('rests for as long as the upstream asked, within bounds, without being open', async () => {
    const { attempt, states, at } = await begin();
    const limited = await attempt('a', { verdict: 'NEITHER', waitMs: 1_000 });
    expect(limited).toMatchObject({ changed: true, state: 'CLOSED', attempts: 0 });
    expect(limited.cooldownUntilMs).toBe(NOW + 1_000);
    expect(await states(['a'])).toEqual(['COOLDOWN']);
    await at(1_000);
    expect(await states(['a'])).toEqual(['CLOSED']);
    const long = await attempt('a', { verdict: 'NEITHER', waitMs: 3_600_000 });
    expect(long.cooldownUntilMs).toBe(NOW + 1_000 + FIGURES.cooldownMaxMs);
  });

  test('knows the mean latency of streams and of others apart, while it is recent', async () => {
    const { store, item, attempt, at } = await begin();
    await attempt('a', { latencyUs: 1_000 });
    await attempt('a', { latencyUs: 2_000 });
    await attempt('a', { latencyUs: 70, stream: true });
    const latency = async (stream: boolean) =>
      (await store.route(item(['a'], { stream }))).states[0]?.latencyUs;
    expect(await latency(false)).toBe(1_500);
    expect(await latency(true)).toBe(70);
    await at(600_000);
    expect(await latency(false)).toBeUndefined();
  });

  test('a mean of many does not swing with one answer, and one of few follows', async () => {
    const { store, item, attempt, at } = await begin();
    const latency = async () => (await store.route(item(['a']))).states[0]?.latencyUs;
    for (let n = 0; n < 200; n += 1) await attempt('a', { latencyUs: 1_000 });
    await attempt('a', { latencyUs: 11_000 });
    expect(await latency()).toBe(1_050);
    await at(1_000);
    await attempt('a', { latencyUs: 11_050 });
    expect(await latency()).toBe(2_050);
    await at(60_000);
    await attempt('a', { latencyUs: 7_050 });
    expect(await latency()).toBe(3_050);
  });

  test('what comes back after failures is measured anew, and the mean says of how many answers it is', async () => {
    const { store, item, attempt, fail, at } = await begin();
    const reading = async () => (await store.route(item(['a']))).states[0];
    for (let n = 0; n < 10; n += 1) await attempt('a', { latencyUs: 1_000 });
    expect(await reading()).toMatchObject({ latencyUs: 1_000, latencies: 10 });
    await fail('a', 20);
    await at(FIGURES.openMs);
    expect(await reading()).toMatchObject({ state: 'PROBE', latencyUs: 1_000 });
    await attempt('a', { probe: true, latencyUs: 5_000 });
    expect(await reading()).toMatchObject({ state: 'CLOSED', latencyUs: 5_000, latencies: 1 });
    await attempt('a', { latencyUs: 1_000 });
    expect(await reading()).toMatchObject({ latencyUs: 3_000, latencies: 2 });
  });

  test('turns are shared by all stores, and those given back are used first', async () => {
    const { stores, turn, item } = await begin(4);
    const models = ['a', 'b', 'c'];
    const taken = await Promise.all(
      Array.from({ length: 40 }, (_, n) => turn(models, stores[n % stores.length])),
    );
    const numbers = taken.map((one) => one?.number ?? -1).toSorted((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 40 }, (_, n) => n));
    for (const number of [7, 9]) {
      const back = { ...taken[0], set: taken[0]?.set ?? '', number };
      const { shard, apiKeyId, policyId } = item(models);
      const turn = { ...back, apiKeyId, policyId };
      await stores[1]?.unroute({ shard, turn, probe: undefined });
    }
    const next = [await turn(models), await turn(models), await turn(models)];
    expect(next.map((one) => one?.number)).toEqual([7, 9, 40]);
    expect(await turn(['a', 'b'])).toMatchObject({ number: 0 });
    expect(await turn(['a'])).toBeUndefined();
  });

  test('stays open, probed and known for exactly as long as its figures say', async () => {
    const { fail, states, at } = await begin();
    await fail('a', 3);
    const probeMs = 2_000;
    await at(FIGURES.openMs - 1);
    expect(await states(['a'], { probeMs })).toEqual(['OPEN']);
    await at(FIGURES.openMs);
    expect(await states(['a'], { probeMs })).toEqual(['PROBE']);
    // Its edge died with it: nobody reports and nobody settles.
    await at(FIGURES.openMs + probeMs - 1);
    expect(await states(['a'], { probeMs })).toEqual(['PROBING']);
    await at(FIGURES.openMs + probeMs);
    expect(await states(['a'], { probeMs })).toEqual(['PROBE']);
    await at(FIGURES.openMs + FIGURES.forgetMs - 1);
    expect(await states(['a'], { probeMs: FIGURES.forgetMs })).toEqual(['PROBE']);
    await at(FIGURES.openMs + FIGURES.forgetMs);
    expect(await states(['a'], { probeMs })).toEqual(['CLOSED']);
  });

  test('needs exactly its part of failures, and counts what is within the window', async () => {
    const { attempt, fail, at } = await begin();
    const figures = { ...FIGURES, failurePercent: 60 };
    const failed = () => attempt('a', { verdict: 'FAILURE', figures });
    for (let n = 0; n < 3; n += 1) await attempt('a', { figures });
    await failed();
    await failed();
    await failed();
    // Four of seven are below sixty percent, five of eight are above.
    expect(await failed()).toMatchObject({ state: 'CLOSED', attempts: 7, failures: 4 });
    expect(await failed()).toMatchObject({
      changed: true,
      state: 'OPEN',
      attempts: 8,
      failures: 5,
    });
    // Two halves: what the half before the last one counted is out.
    await fail('b', 2);
    await at(FIGURES.windowMs / 2);
    expect(await fail('b', 1)).toMatchObject({ changed: true, state: 'OPEN', failures: 3 });
  });

  test('a probe that came to nothing is another’s', async () => {
    const { store, fail, shard, states, item, at } = await begin();
    await fail('a', 3);
    await at(FIGURES.openMs);
    const routed = await store.route(item(['a']));
    const probe = { ...upstream('a'), untilMs: routed.states[0]?.untilMs ?? 0 };
    await store.unroute({ shard, turn: undefined, probe: { ...probe, untilMs: 1 } });
    expect(await states(['a'])).toEqual(['PROBING']);
    await store.unroute({ shard, turn: undefined, probe });
    expect(await states(['a'])).toEqual(['PROBE']);
  });
});
