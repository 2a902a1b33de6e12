import fc from 'fast-check';

import type { AuthorizeCounter, CloseItem, Store } from '.';
import { installed, onOneBackend, required, type Bench } from './test-support/backends';
import { NEXT_WINDOW, NOW, openShard, usage, WINDOW, type Shard } from './test-support/requests';

// Calls of one event-loop turn have the same replies and effects as one by one: a script for
// several requests reads and writes each counter once.

const runs = Number(process.env['EQUIVALENCE_RUNS'] ?? 60);

const amount = fc.bigInt({ min: 0n, max: 40n });
const limit = fc.constantFrom(30n, 60n, 1_000n);
const windowed = fc.record({
  limitId: fc.constantFrom('b1', 'b2', 'cold'),
  kind: fc.constantFrom('WINDOW' as const, 'WINDOW' as const, 'POST_PAID' as const),
  window: fc.constantFrom(WINDOW, WINDOW, WINDOW, NEXT_WINDOW),
  limit,
  soft: fc.boolean(),
  amount,
});
const rate = fc.record({ limitId: fc.constantFrom('l1:rpm', 'l2:tpm'), limit, amount });
const counters = fc
  .record({
    windows: fc.uniqueArray(windowed, { maxLength: 2, selector: ({ limitId }) => limitId }),
    rates: fc.uniqueArray(rate, { maxLength: 2, selector: ({ limitId }) => limitId }),
    atOnce: fc.option(fc.constantFrom(2n, 5n, 100n), { nil: undefined }),
  })
  .map(({ windows, rates, atOnce }): AuthorizeCounter[] => {
    const volatile = { windowStartMs: 0, windowEndMs: 0, soft: false };
    return [
      ...windows.map(({ window, kind, amount: held, ...c }) => ({
        ...c,
        ...window,
        kind,
        amount: kind === 'POST_PAID' ? 0n : held,
      })),
      ...rates.map((c) => ({ ...c, ...volatile, kind: 'RATE' as const })),
      ...(atOnce === undefined
        ? []
        : [
            {
              ...volatile,
              limitId: 'l1:conc',
              kind: 'CONCURRENCY' as const,
              limit: atOnce,
              amount: 1n,
            },
          ]),
    ];
  });

const id = fc.integer({ min: 0, max: 25 }).map((n) => `r${String(n)}`);
const begin = fc.record({ id, counters });
const end = fc.record({
  id,
  mode: fc.constantFrom<CloseItem['mode']>(
    'SETTLED',
    'SETTLED',
    'SETTLED',
    'CANCELLED',
    'ABANDONED',
  ),
  orphan: fc.constantFrom(false, false, false, true),
  /** Amounts that are charged, and how many of the counters are left out. */
  spent: fc.array(amount, { minLength: 5, maxLength: 5 }),
  unnamed: fc.constantFrom(0, 0, 0, 1, 2),
  states: fc.boolean(),
});
type Begin = typeof begin extends fc.Arbitrary<infer T> ? T : never;
type End = typeof end extends fc.Arbitrary<infer T> ? T : never;
const round = fc.record({
  passes: fc.constantFrom(0, 40, 250, 61_000, 3_600_000, -90),
  begins: fc.array(begin, { maxLength: 10 }),
  ends: fc.array(end, { maxLength: 10 }),
});

const text = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? `${String(one)}n` : one));

const taken = (s: Shard, { id: requestId, counters: uses }: Begin): Promise<string> =>
  s.authorize(requestId, uses, { attempt: `of ${requestId}` }).then(text);

const ended = (s: Shard, known: Known, { id: requestId, spent, unnamed, ...how }: End) => {
  const uses = known.get(requestId) ?? [];
  const named = uses.slice(0, Math.max(0, uses.length - unnamed));
  return s
    .close(
      requestId,
      how.mode,
      named.map((c, i) => ({ ...c, spent: spent[i] ?? 0n })),
      { orphan: how.orphan && how.mode === 'CANCELLED', states: how.states, usage: usage() },
    )
    .then(text);
};

/** What each request was first asked with; both shards are asked alike. */
type Known = ReadonlyMap<string, AuthorizeCounter[]>;

(installed || required ? describe : describe.skip)('several at once', () => {
  onOneBackend((bench: () => Bench) => {
    let store: Store;
    beforeAll(async () => {
      store = await bench().store();
    });

    const shardAt = async (): Promise<Shard> => {
      const s = await openShard(bench(), store);
      await s.seed([{ limitId: 'b1' }, { limitId: 'b2', total: 10n }]);
      return s;
    };
    const stored = async ({ shard }: Shard): Promise<string[]> => {
      const commands = await bench().snapshot(shard);
      return commands
        .map(([command = '', key = '', ...rest]) => {
          const pairs = rest.flatMap((part, i) =>
            i % 2 === 0 ? [`${part}=${rest[i + 1] ?? ''}`] : [],
          );
          const args = command === 'HSET' ? pairs.toSorted() : rest;
          return [command, key.replace(/^{[^}]*}/, ''), ...args].join(' ');
        })
        .toSorted();
    };
    const at = async (s: Shard, ms: number): Promise<void> => {
      await s.at(ms);
      // Whose clock is ahead is learnt by the first call.
      await s.authorize(`at ${String(ms)}`, []);
    };

    test(
      'is answered and kept as if they had come one by one',
      async () => {
        const property = fc.asyncProperty(
          fc.array(round, { minLength: 1, maxLength: 6 }),
          async (rounds) => {
            const [together, alone] = [await shardAt(), await shardAt()];
            const known = new Map<string, AuthorizeCounter[]>();
            let now = NOW;
            for (const { passes, begins, ends } of rounds) {
              now += passes;
              await at(together, now);
              await at(alone, now);
              for (const one of begins) if (!known.has(one.id)) known.set(one.id, one.counters);
              const once = await Promise.all([
                ...ends.map((one) => ended(together, known, one)),
                ...begins.map((one) => taken(together, one)),
              ]);
              const oneByOne: string[] = [];
              for (const one of ends) oneByOne.push(await ended(alone, known, one));
              for (const one of begins) oneByOne.push(await taken(alone, one));
              expect(once).toEqual(oneByOne);
              expect(await stored(together)).toEqual(await stored(alone));
            }
          },
        );
        await fc.assert(property, { numRuns: runs });
      },
      60_000 + runs * 1_000,
    );
  });
});
