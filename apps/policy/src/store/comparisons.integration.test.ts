import type { Store } from '.';
import { counterKey, leasesKey } from './keys';
import { SCRIPT_NAMES, type Scripts } from './scripts';
import { onOneBackend, TEST_SCRIPTS, type Bench } from './test-support/backends';
import {
  budget,
  LEASE_MS,
  NOW,
  openShard,
  rate,
  warmShard,
  WINDOW,
  type Shard,
} from './test-support/requests';

// Single comparisons of the scripts that random steps do not reach: what each is for, and that
// removing it is noticed.

interface Case {
  readonly promise: string;
  /** A line of the scripts and its wrong form. */
  readonly line: string;
  readonly wrong: string;
  readonly look: (bench: Bench, store: Store) => Promise<unknown>;
  readonly expected: unknown;
}

const MINUTE_MS = 60_000;
/** A bucket of a sliding minute. */
const BUCKET_MS = 100;

/** What is held after these steps of one hold, which may come in any order: their numbers, and their totals. */
async function afterSteps(s: Shard, ...steps: [number, bigint][]): Promise<unknown> {
  await s.authorize('r1', [budget(100n, 10n)]);
  for (const [step, total] of steps) {
    const ticketText = `ticket of step ${String(step)} to ${String(total)}`;
    const counters = [{ ...budget(100n, 10n), base: 10n, total }];
    await s.extend('r1', { step, ticketText, counters });
  }
  const hold = await s.store.readHold(s.shard, 'r1');
  return [hold?.ticketText, await s.held()];
}

/** A hold adopted after data loss whose counter is in an earlier window, and is then seeded. */
async function heldAfterSeed(
  bench: Bench,
  store: Store,
  seeded: { windowStartMs: number; windowEndMs: number },
): Promise<bigint> {
  const s = await openShard(bench, store);
  const half = 1_800_000;
  const key = counterKey(s.shard, 'b1');
  const [from, to] = [NOW - half, NOW + half].map(String);
  await bench.raw('HSET', key, 'w', from ?? '', 'e', to ?? '', 'h', '0', 'n', '1');
  const counter = { ...WINDOW, limitId: 'b1', kind: 'WINDOW' as const, limit: 100n, soft: false };
  const adopted = await s.extend('r1', {
    step: 0,
    counters: [{ ...counter, base: 10n, total: 10n }],
  });
  expect(adopted.kind).toBe('ADOPTED');
  await s.seed([{ ...seeded, total: 0n }]);
  return s.held();
}

const CASES: readonly Case[] = [
  {
    promise: 'a step that arrives after a later one does not take its place',
    line: 'if grant and (number > step or (number == step and grows)) then',
    wrong: 'if grant then',
    look: async (bench, store) => {
      return await afterSteps(await warmShard(bench, store), [2, 30n], [1, 20n]);
    },
    expected: ['ticket of step 2 to 30', 30n],
  },
  {
    promise: 'a step of the same number that holds more takes its place',
    line: 'if grant and (number > step or (number == step and grows)) then',
    wrong: 'if grant and number > step then',
    look: async (bench, store) => {
      return await afterSteps(await warmShard(bench, store), [1, 20n], [1, 30n], [1, 25n]);
    },
    expected: ['ticket of step 1 to 30', 30n],
  },
  {
    promise: 'a request whose minute is over takes no part in its rate any more',
    line: 'local function counts(rate, at) return bucket_of(at) > rate.present',
    wrong: 'local function counts(rate, at) return bucket_of(at) >= rate.present',
    look: async (bench, store) => {
      const s = await openShard(bench, store);
      await s.authorize('r1', [rate(10n, 5n)], { leaseMs: 2 * LEASE_MS });
      await s.at(NOW + MINUTE_MS + BUCKET_MS);
      // Without it the current minute is full.
      await s.authorize('r2', [rate(10n, 10n)]);
      const { kind } = await s.extend('r1', {
        counters: [{ ...rate(10n, 5n), base: 5n, total: 8n }],
      });
      return kind;
    },
    expected: 'GRANTED',
  },
  {
    promise: 'a hold of before is found again by the window that it is of',
    line: "if hold[1] == 'HELD' and from == c.from and to == c.to then",
    wrong: 'if false then',
    look: (bench, store) => heldAfterSeed(bench, store, WINDOW),
    expected: 10n,
  },
  {
    promise: 'and by none that begins elsewhere',
    line: "if hold[1] == 'HELD' and from == c.from and",
    wrong: "if hold[1] == 'HELD' and",
    look: (bench, store) =>
      heldAfterSeed(bench, store, { ...WINDOW, windowStartMs: WINDOW.windowStartMs - 1 }),
    expected: 0n,
  },
  {
    promise: 'or ends elsewhere',
    line: 'from == c.from and to == c.to then',
    wrong: 'from == c.from then',
    look: (bench, store) =>
      heldAfterSeed(bench, store, { ...WINDOW, windowEndMs: WINDOW.windowEndMs + 1 }),
    expected: 0n,
  },
  {
    promise: 'a lease without a hold leaves the list, so that it is not asked for again and again',
    line: "ended_leases[#ended_leases + 1] = rid\n    return { 'UNKNOWN' }",
    wrong: "return { 'UNKNOWN' }",
    look: async (bench, store) => {
      const s = await openShard(bench, store);
      await bench.raw('ZADD', leasesKey(s.shard), String(NOW - 1), 'r-gone');
      const before = await store.expiredLeases(s.shard, 10);
      const { kind } = await s.close('r-gone', 'ABANDONED', [budget(100n, 10n)]);
      return [before, kind, await store.expiredLeases(s.shard, 10)];
    },
    expected: [['r-gone'], 'UNKNOWN', []],
  },
];

function changed(line: string, wrong: string): Scripts {
  let found = 0;
  const scripts = SCRIPT_NAMES.map((name) => {
    const { source, allowOom } = TEST_SCRIPTS[name];
    found += source.split(line).length - 1;
    return [name, { source: source.replaceAll(line, wrong), allowOom }];
  });
  if (found === 0) throw new Error(`no script has the line: ${line}`);
  return Object.fromEntries(scripts) as Scripts;
}

onOneBackend((bench: () => Bench) => {
  test.each(CASES.map((one) => [one.promise, one] as const))(
    '%s',
    async (_, { line, wrong, look, expected }) => {
      expect(await look(bench(), await bench().store())).toEqual(expected);
      const without = await bench().store({ scripts: changed(line, wrong) });
      expect(await look(bench(), without)).not.toEqual(expected);
    },
  );
});
