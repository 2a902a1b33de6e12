import type { AuthorizeCounter, Store } from '.';
import { onOneBackend, type Bench } from './test-support/backends';
import { budget, LEASE_MS, NOW, usage } from './test-support/requests';

// What very many values of a limit cost Redis: memory, and the time of one decision. `npm run limits:values` does it with
// a million values and compares the times; the short form counts memory only.

const VALUES = Number(process.env['VALUES'] ?? 20_000);
const BY_HAND = process.env['VALUES'] !== undefined;
const FEW = 1_000;
/** Counters of one request while the values are created. */
const AT_ONCE = 100;
const MEASURED = BY_HAND ? 4_000 : 200;
/** A counter of a value takes at most this much of Redis. */
const BYTES_MAX = 512;

const HOUR_MS = 3_600_000;
/** A day that begins after the shard was opened. */
const WINDOW = { windowStartMs: NOW + 2 * HOUR_MS, windowEndMs: NOW + 26 * HOUR_MS };
const LIMIT_ID = '0192f5a0-6c1e-7a3b-9f10-2b7c55d0a1e2';

/** The counter of a value, with a hash as long as real ones. */
const counterOf = (value: number): AuthorizeCounter =>
  budget(2_000_000_000n, 200_000n, {
    ...WINDOW,
    limitId: `${LIMIT_ID}~e${String(value).padStart(22, 'x')}`,
  });
const ORGANISATION = budget(9_000_000_000_000_000n, 200_000n, { ...WINDOW, limitId: 'org' });

const WHO = { ORGANISATION: 'o1', TEAM: '', USER: '', API_KEY: 'k1', MODEL: 'm1', MCP_SERVER: '' };

onOneBackend((bench: () => Bench) => {
  let store: Store;
  let shard: number;
  let made = 0;
  beforeAll(async () => {
    store = await bench().store({ ledgerStreamMax: 1_000_000 });
    shard = bench().freshShard();
    await bench().setTime(shard, NOW);
    await store.open({ shard, newEpoch: 1, position: 0, rev: 0, graceMs: 0 });
    await bench().setTime(shard, NOW + 3 * HOUR_MS);
    const org = { ...ORGANISATION, total: 0n, metric: 'COST', scopeType: 'ORGANISATION' } as const;
    const counters = [{ ...org, scopeId: 'o1' }];
    await store.seed({ shard, epoch: 1, position: 0, rev: 0, counters });
  });

  async function request(counters: readonly AuthorizeCounter[]): Promise<void> {
    const requestId = `r${String((made += 1))}`;
    const item = { shard, epoch: 1, requestId, ticketText: 'ticket', leaseMs: LEASE_MS };
    const outcome = await store.authorize({ ...item, counters: [...counters] });
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

  /** Each value has a request; what is written to the stream is booked in between. */
  async function create(from: number, to: number): Promise<void> {
    for (let at = from; at < to;) {
      const requests: Promise<void>[] = [];
      for (; at < to && requests.length < 20; at += AT_ONCE) {
        const many = Array.from({ length: Math.min(AT_ONCE, to - at) }, (_, i) =>
          counterOf(at + i),
        );
        requests.push(request(many));
      }
      await Promise.all(requests);
      const { seq = 0 } = (await store.readMeta(shard)) ?? {};
      await store.book({ shard, epoch: 1, position: seq, rev: 0, forgetLimitIds: [] });
    }
  }

  const info = async (section: string, name: string): Promise<number[]> => {
    const text = String(await bench().raw('INFO', section));
    return [...text.matchAll(new RegExp(`${name}(\\d+(?:\\.\\d+)?)`, 'g'))].map(([, n]) =>
      Number(n),
    );
  };

  /** Microseconds of Redis for one decision and its settle, of a value that is known and of one that is not. */
  async function cost(values: number): Promise<number> {
    await bench().raw('CONFIG', 'RESETSTAT');
    for (let n = 0; n < MEASURED; n += 1) {
      const value = n % 2 === 0 ? (n * 7_919) % values : 10_000_000 + made;
      await request([ORGANISATION, counterOf(value)]);
    }
    const spent = await info('commandstats', 'cmdstat_evalsha:calls=\\d+,usec=');
    return (spent[0] ?? 0) / MEASURED;
  }

  test(
    'the counter of a value is small, and a decision costs the same among few and many',
    async () => {
      await create(0, FEW);
      const real = bench().real;
      if (BY_HAND) await cost(FEW);
      const few = real ? await cost(FEW) : 0;
      const [before = 0] = await info('memory', 'used_memory:');
      await create(FEW, VALUES);
      const [after = 0] = await info('memory', 'used_memory:');
      const many = real ? await cost(VALUES) : 0;
      const bytes = (after - before) / (VALUES - FEW);
      const keys = Number(await bench().raw('DBSIZE'));
      expect(keys).toBeGreaterThan(VALUES);
      const ttl = Number(
        await bench().raw('PTTL', `{s${String(shard)}}:c:${counterOf(1).limitId}`),
      );
      expect(ttl).toBeGreaterThan(23 * HOUR_MS);
      expect(ttl).toBeLessThanOrEqual(24 * HOUR_MS);
      if (!real) return;
      expect(bytes).toBeLessThan(BYTES_MAX);
      if (!BY_HAND) return;
      const lines = [
        `values ${String(VALUES)}: ${bytes.toFixed(0)} bytes each, ${((after - before) / 1e6).toFixed(0)} MB together`,
        `microseconds of Redis per decision and settle: ${few.toFixed(1)} among ${String(FEW)}, ` +
          `${many.toFixed(1)} among ${String(VALUES)} (factor ${(many / few).toFixed(3)})`,
      ];
      process.stderr.write(`${lines.join('\n')}\n`);
      expect(many / few).toBeLessThan(1.15);
    },
    BY_HAND ? 1_200_000 : 60_000,
  );
});
