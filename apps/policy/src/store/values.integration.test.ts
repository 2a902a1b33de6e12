import { windowAt } from '@tollgate/contracts';

import type { AuthorizeCounter, Store } from '.';
import { onOneBackend, REAL_SERVER, startBench, type Bench } from './test-support/backends';
import { budget, LEASE_MS, NOW, usage } from './test-support/requests';

// What very many values of a limit cost Redis: memory, and the time of one decision. `npm run limits:values` does it with
// a million values and compares the times; the short form counts memory only.

const VALUES = Number(process.env['VALUES'] ?? 20_000);
const BY_HAND = process.env['VALUES'] !== undefined;
const FEW = 1_000;
/** Counters of one request while the values are created. */
const AT_ONCE = 100;
/** Requests of a round, and rounds. */
const REQUESTS = 500;
const ROUNDS = 12;
/** A counter of a value takes at most this much of Redis. */
const BYTES_MAX = 512;

const HOUR_MS = 3_600_000;
interface Period {
  readonly windowStartMs: number;
  readonly windowEndMs: number;
}
/** A day that begins after the shard was opened: a missing counter is zero without a seed. */
const DAY: Period = { windowStartMs: NOW + 2 * HOUR_MS, windowEndMs: NOW + 26 * HOUR_MS };
/** The first request of each value needs a seed. */
const { startMs, endMs } = windowAt({ period: 'LIFETIME' }, NOW, 'UTC');
const LIFETIME: Period = { windowStartMs: startMs, windowEndMs: endMs };
const LIMIT_ID = '0192f5a0-6c1e-7a3b-9f10-2b7c55d0a1e2';

/** The counter of a value, with a hash as long as real ones. */
const counterOf = (value: number, period: Period): AuthorizeCounter =>
  budget(2_000_000_000n, 200_000n, {
    ...period,
    limitId: `${LIMIT_ID}~e${String(value).padStart(22, 'x')}`,
  });
const ORGANISATION = budget(9_000_000_000_000_000n, 200_000n, { ...DAY, limitId: 'org' });

const WHO = { ORGANISATION: 'o1', TEAM: '', USER: '', API_KEY: 'k1', MODEL: 'm1', MCP_SERVER: '' };

interface World {
  readonly bench: Bench;
  readonly store: Store;
  readonly shard: number;
  readonly period: Period;
  made: number;
}

async function startWorld(bench: Bench, period: Period): Promise<World> {
  const store = await bench.store({ ledgerStreamMax: 1_000_000 });
  const shard = bench.freshShard();
  await bench.setTime(shard, NOW);
  await store.open({ shard, newEpoch: 1, position: 0, rev: 0, graceMs: 0 });
  await bench.setTime(shard, NOW + 3 * HOUR_MS);
  const org = { ...ORGANISATION, total: 0n, metric: 'COST', scopeType: 'ORGANISATION' } as const;
  const counters = [{ ...org, scopeId: 'o1' }];
  await store.seed({ shard, epoch: 1, position: 0, rev: 0, counters });
  return { bench, store, shard, period, made: 0 };
}

async function request(w: World, counters: readonly AuthorizeCounter[]): Promise<void> {
  const { shard, store } = w;
  const requestId = `r${String((w.made += 1))}`;
  const item = { shard, epoch: 1, requestId, ticketText: 'ticket', leaseMs: LEASE_MS };
  const asking = { ...item, counters: [...counters] };
  let outcome = await store.authorize(asking);
  if (outcome.kind === 'COLD') {
    await seed(w, outcome.limitIds);
    outcome = await store.authorize(asking);
  }
  if (outcome.kind !== 'ALLOW') throw new Error(`${requestId}: ${outcome.kind}`);
  await store.close({
    shard,
    epoch: 1,
    requestId,
    mode: 'SETTLED',
    authorisedAtMs: outcome.nowMs,
    leaseUntilMs: outcome.leaseUntilMs,
    counters: counters.map((one) => ({ ...one, spent: 150_000n })),
    usage: usage({ COST: 150_000n }),
    dimensions: WHO,
    payload: '{}',
  });
}

/** As a policy does it: the catalog has no row of a value that is new. */
async function seed(w: World, limitIds: readonly string[]): Promise<void> {
  const { period, shard, store } = w;
  const { seq: position = 0 } = (await store.readMeta(shard)) ?? {};
  const scope = { metric: 'COST', scopeType: 'END_USER', scopeId: 'o1' } as const;
  const counters = limitIds.map((limitId) => ({ limitId, ...period, ...scope, total: 0n }));
  const outcome = await store.seed({ shard, epoch: 1, position, rev: 0, counters });
  if (outcome.kind !== 'DONE') throw new Error(`seed: ${outcome.kind}`);
}

/** What is written to the stream has reached the books. */
async function book({ shard, store }: World): Promise<void> {
  const { seq = 0 } = (await store.readMeta(shard)) ?? {};
  await store.book({ shard, epoch: 1, position: seq, rev: 0, forgetLimitIds: [] });
}

/** Each value has a request. */
async function create(w: World, values: number): Promise<void> {
  for (let at = 0; at < values;) {
    const requests: Promise<void>[] = [];
    for (; at < values && requests.length < 20; at += AT_ONCE) {
      const many = Array.from({ length: Math.min(AT_ONCE, values - at) }, (_, i) =>
        counterOf(at + i, w.period),
      );
      requests.push(request(w, many));
    }
    await Promise.all(requests);
    await book(w);
  }
}

async function info({ bench }: World, section: string, name: string): Promise<number> {
  const text = String(await bench.raw('INFO', section));
  return Number(new RegExp(`${name}(\\d+(?:\\.\\d+)?)`).exec(text)?.[1] ?? 0);
}

/** Microseconds of Redis for one decision, its settle and the seed if it needs one, half of them of values that are new. */
async function cost(w: World, values: number): Promise<number> {
  await book(w);
  await w.bench.raw('CONFIG', 'RESETSTAT');
  for (let n = 0; n < REQUESTS; n += 1) {
    const value = n % 2 === 0 ? (w.made * 7_919) % values : 10_000_000 + w.made;
    await request(w, [ORGANISATION, counterOf(value, w.period)]);
  }
  return (await info(w, 'commandstats', 'cmdstat_evalsha:calls=\\d+,usec=')) / REQUESTS;
}

const least = (numbers: readonly number[]): number => Math.min(...numbers);

const PERIODS: [name: string, period: Period, keptMs: number][] = [
  ['a day', DAY, 24 * HOUR_MS],
  ['a lifetime', LIFETIME, 25 * HOUR_MS],
];

// Each with a server of its own: the values of the one would be in the memory of the other.
describe.each(PERIODS)('of %s', (name, period, keptMs) => {
  onOneBackend((bench: () => Bench) => {
    test(
      'the counter of a value is small and expires',
      async () => {
        const many = await startWorld(bench(), period);
        const before = await info(many, 'memory', 'used_memory:');
        await create(many, VALUES);
        const bytes = ((await info(many, 'memory', 'used_memory:')) - before) / VALUES;
        expect(Number(await many.bench.raw('DBSIZE'))).toBeGreaterThan(VALUES);
        const key = `{s${String(many.shard)}}:c:${counterOf(1, period).limitId}`;
        const ttl = Number(await many.bench.raw('PTTL', key));
        expect(ttl).toBeGreaterThan(keptMs - HOUR_MS);
        expect(ttl).toBeLessThanOrEqual(keptMs);
        if (!bench().real) return;
        expect(bytes).toBeLessThan(BYTES_MAX);
        if (!BY_HAND) return;
        say(`${VALUES} values of ${name}: ${bytes.toFixed(0)} bytes each`);
        await compare(many);
      },
      BY_HAND ? 1_800_000 : 60_000,
    );
  });
});

/** Beside each other, because other work on the machine slows both down. Of several rounds the least disturbed counts. */
async function compare(many: World): Promise<void> {
  const other = await startBench(REAL_SERVER);
  try {
    const few = await startWorld(other, many.period);
    await create(few, FEW);
    const times: { few: number[]; many: number[] } = { few: [], many: [] };
    for (let round = 0; round <= ROUNDS; round += 1) {
      const [one, another] = [await cost(few, FEW), await cost(many, VALUES)];
      if (round === 0) continue;
      times.few.push(one);
      times.many.push(another);
    }
    const factor = least(times.many) / least(times.few);
    say(
      `microseconds of Redis per decision and settle: ${least(times.few).toFixed(1)} among ${FEW} ` +
        `values, ${least(times.many).toFixed(1)} among ${VALUES}; factor ${factor.toFixed(3)}`,
    );
    expect(factor).toBeLessThan(1.15);
  } finally {
    await other.stop();
  }
}

const say = (line: string): void => void process.stderr.write(`${line}\n`);
