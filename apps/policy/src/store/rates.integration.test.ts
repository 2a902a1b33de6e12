import type { Store } from '.';
import { onOneBackend, type Bench } from './test-support/backends';
import { NOW, openShard, rate } from './test-support/requests';

// A limit per minute under five times as much as it allows, offered evenly through four policies for
// minutes of an injected clock: every 60 seconds, at every second, hold the limit to within 1 %.

const MINUTE_MS = 60_000;
const LIMIT = 240;
const MINUTES = 3;
const EVERY_MS = MINUTE_MS / (5 * LIMIT);
const POLICIES = 4;

onOneBackend((bench: () => Bench) => {
  const stores: Store[] = [];
  beforeAll(async () => {
    while (stores.length < POLICIES) stores.push(await bench().store());
  });

  /** What was let through, each as often as `amount` says, with what each came to. */
  const offered = async (limit: number, hold: number, spent: number): Promise<number[]> => {
    const [first] = stores;
    if (first === undefined) throw new Error('no store');
    const s = await openShard(bench(), first);
    const counter = rate(BigInt(limit), BigInt(hold));
    const admitted: number[] = [];
    let running: { id: string; counters: (typeof counter & { spent: bigint })[] } | undefined;
    for (let n = 0; n < 5 * LIMIT * MINUTES; n += 1) {
      await s.at(NOW + n * EVERY_MS);
      // What was let through last has been answered by now.
      if (running !== undefined) await s.close(running.id, 'SETTLED', running.counters);
      running = undefined;
      const store = stores[n % POLICIES];
      const outcome = await store?.authorize({
        shard: s.shard,
        epoch: 1,
        requestId: `r${n}`,
        ticketText: 'ticket',
        leaseMs: MINUTE_MS,
        counters: [counter],
      });
      if (outcome?.kind === 'DENY') continue;
      expect(outcome).toMatchObject({ kind: 'ALLOW' });
      admitted.push(n * EVERY_MS);
      running = { id: `r${n}`, counters: [{ ...counter, spent: BigInt(spent) }] };
    }
    return admitted;
  };

  const expectFull = (admitted: readonly number[]): void => {
    for (let from = 0; from + MINUTE_MS <= MINUTES * MINUTE_MS; from += 1_000) {
      const within = admitted.filter((at) => at >= from && at < from + MINUTE_MS).length;
      expect({ from, within, ok: within <= LIMIT && within >= LIMIT * 0.99 }).toEqual({
        from,
        within,
        ok: true,
      });
    }
    // The same at every instant at which there is one more.
    for (const [n, at] of admitted.entries()) {
      const before = admitted[n - LIMIT];
      if (before !== undefined) expect(at - before).toBeGreaterThanOrEqual(MINUTE_MS);
    }
  };

  test('requests per minute', async () => {
    expectFull(await offered(LIMIT, 1, 1));
  });

  test('tokens per minute, held at twice what they come to', async () => {
    // Ten are held and five used; the last one needs room for the whole of its hold.
    expectFull(await offered(LIMIT * 5 + 5, 10, 5));
  });
});
