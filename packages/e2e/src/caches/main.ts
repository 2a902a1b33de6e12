import { parseArgs } from 'node:util';

import { runMain, whole } from '../command-line';
import { startGateway, undo } from '../gateway/gateway';
import {
  CANDIDATES,
  furnish,
  recovered,
  startTalks,
  warmthOf,
  type Billed,
  type Turn,
} from './conversations';
import { countShares, expectedShares, farthest, type Shares } from './shares';

// `npm run caches`: how many turns of conversations find their prompt in the provider's cache, with
// affinity and without, while a candidate is killed and comes back, and how conversations are shared between
// candidates. It fails where a goal is missed.

const STRATEGIES = ['round_robin', 'weighted', 'lowest_latency'];

const { values } = parseArgs({
  options: {
    conversations: { type: 'string', default: '1000' },
    turns: { type: 'string', default: '20' },
    'share-conversations': { type: 'string', default: '10000' },
    edges: { type: 'string', default: '4' },
    policies: { type: 'string', default: '2' },
    'at-once': { type: 'string', default: '32' },
    'latency-ms': { type: 'string', default: '400' },
    strategy: { type: 'string', default: STRATEGIES.join(',') },
    compare: { type: 'string', default: 'on' },
    floats: { type: 'string', default: 'off' },
    help: { type: 'boolean', default: false },
  },
  allowPositionals: false,
});

const HELP = `npm run caches -- [options]
  --conversations N        conversations (1000)
  --turns N                turns of each (20); a candidate is killed after a third, and is back after two thirds
  --share-conversations N  further conversations of one turn, to count how they are shared (10000)
  --edges N                edges that the turns go through (4)
  --policies N             policies that choose the candidates (2)
  --at-once N              turns at the same time (32)
  --latency-ms N           how long upstreams take to answer, with lowest_latency (400)
  --strategy S,…           round_robin, weighted, lowest_latency, one run each (all)
  --compare on|off         the first strategy without affinity as well (on)
  --floats on|off          decisions from memory (off)
`;

/** Per cent of the turns after the first. */
const GOAL = 97;
/** Points of a per cent by which a share may be off. */
const SHARE_GOAL = 2;

interface Result {
  readonly strategy: string;
  /** Per cent. */
  readonly warm: number;
  readonly shares: Shares;
}

async function main(): Promise<number> {
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  checkWords();
  const strategies = values.strategy.split(',');
  const results: Result[] = [];
  for (const strategy of strategies) results.push(await run(strategy, true));
  if (values.compare === 'on') await run(strategies[0] ?? '', false);
  process.stdout.write(table(results));
  return results.every(isMet) ? 0 : 1;
}

const offBy = ({ shares, strategy }: Result): number => farthest(shares, expectedShares(strategy));
const isMet = (result: Result): boolean => result.warm >= GOAL && offBy(result) <= SHARE_GOAL;

/** One row for each strategy; rows are the documentation's. */
function table(results: readonly Result[]): string {
  const parts = (shares: Shares): string =>
    shares.map((part) => (part * 100).toFixed(1)).join(' / ');
  const rows = results.map((result) => {
    const { shares, strategy, warm } = result;
    const expected = parts(expectedShares(strategy));
    const off = `${offBy(result).toFixed(2)} points`;
    const met = isMet(result) ? 'met' : 'missed';
    return `| ${strategy} | ${warm.toFixed(1)} % | ${parts(shares)} | ${expected} | ${off} | ${met} |`;
  });
  return [
    '',
    `Goals: ${String(GOAL)} % of turns where the cache is; shares at most ${String(SHARE_GOAL)} points off.`,
    '| strategy | warm turns | shares, % | expected | off by | goals |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

async function run(strategy: string, affinity: boolean): Promise<Result> {
  const cleanup: (() => Promise<unknown>)[] = [];
  try {
    const gateway = await startGateway({
      edges: wholeOption('edges'),
      policies: wholeOption('policies'),
      env: {
        edge: { CONVERSATION_AFFINITY: String(affinity) },
        policy: {
          UPSTREAM_BREAKER_OPEN_MS: '1000',
          ...(values.floats === 'on' ? { FLOATS: 'on', FLOATS_FROM_RPS: '0' } : { FLOATS: 'off' }),
        },
      },
    });
    cleanup.push(gateway.stop);
    const house = await furnish(
      gateway,
      { strategy, latencyMs: wholeOption('latency-ms') },
      cleanup,
    );
    const urls = gateway.edges.map((_, at) => gateway.edgeUrl(at));
    const atOnce = wholeOption('at-once');
    // Before a candidate is killed: shares are those of candidates that are all up.
    const shares = await countShares(urls, house.key, {
      conversations: wholeOption('share-conversations'),
      atOnce,
    });
    const before = await house.bill();
    const talks = startTalks(urls, house.key, {
      conversations: wholeOption('conversations'),
      atOnce,
    });
    cleanup.push(talks.stop);
    const [door] = house.doors;
    const count = wholeOption('turns');
    const turns: Turn[] = [];
    const startedMs = performance.now();
    for (let turn = 0; turn < count; turn += 1) {
      if (turn === Math.floor(count / 3)) door?.shut();
      if (turn === Math.floor((count * 2) / 3)) {
        door?.open();
        await recovered(gateway.edgeUrl(), house, CANDIDATES[0]);
      }
      turns.push(...(await talks.next()));
    }
    const seconds = (performance.now() - startedMs) / 1_000;
    const head = `affinity ${affinity ? 'on' : 'off'}, ${strategy}`;
    const words = report(turns, billedSince(before, await house.bill()));
    process.stdout.write(
      `${head}: ${String(turns.length)} turns in ${seconds.toFixed(0)} s\n${words}`,
    );
    const { warm, turns: later } = warmthOf(turns);
    return { strategy, warm: (warm / later) * 100, shares };
  } finally {
    await undo(cleanup);
  }
}

const share = (part: number, of: number): string => `${((part / of) * 100).toFixed(1)} %`;

type Bill = ReadonlyMap<string, Billed>;

/** What was billed to all accounts between two bills. */
function billedSince(before: Bill, after: Bill): Pick<Billed, 'cacheRead' | 'input'> {
  const sum = (bill: Bill, of: 'cacheRead' | 'input'): number =>
    [...bill.values()].reduce((all, one) => all + one[of], 0);
  return {
    cacheRead: sum(after, 'cacheRead') - sum(before, 'cacheRead'),
    input: sum(after, 'input') - sum(before, 'input'),
  };
}

function report(
  turns: readonly Turn[],
  { cacheRead, input }: Pick<Billed, 'cacheRead' | 'input'>,
): string {
  const { cachedTokens, possibleTokens, turns: later, warm } = warmthOf(turns);
  return [
    `  turns where the cache is: ${share(warm, later)} (${String(warm)} of ${String(later)})`,
    `  turns that did not, by turn: ${coldByTurn(turns).join(' ')}`,
    `  cold turns whose conversation changed its candidate: ${String(elsewhere(turns))}`,
    `  tokens of earlier turns read from the cache: ${share(cachedTokens, possibleTokens)}`,
    `  input that the upstream billed as cached: ${share(cacheRead, input + cacheRead)}\n`,
  ].join('\n');
}

/** The first turn of each conversation is left out. */
function coldByTurn(turns: readonly Turn[]): readonly number[] {
  const cold = Array.from({ length: wholeOption('turns') - 1 }, () => 0);
  for (const { cached, possible, turn } of turns) {
    if (turn > 0 && cached < possible) cold[turn - 1] = (cold[turn - 1] ?? 0) + 1;
  }
  return cold;
}

/** Cold turns whose conversation changed its candidate; the others lost their account's cache. */
function elsewhere(turns: readonly Turn[]): number {
  const last = new Map<number, string>();
  let count = 0;
  for (const { cached, conversation, model, possible } of turns.toSorted(
    (a, b) => a.turn - b.turn,
  )) {
    if (cached < possible && last.get(conversation) !== model) count += 1;
    last.set(conversation, model);
  }
  return count;
}

/** A candidate is killed after a third of the turns, so there are at least three. */
const LEAST = {
  conversations: 1,
  turns: 3,
  'share-conversations': 1,
  edges: 1,
  policies: 1,
  'at-once': 1,
  'latency-ms': 1,
} as const;

const wholeOption = (name: keyof typeof LEAST): number => whole(name, values[name], LEAST[name]);

const ON_OFF = ['on', 'off'];

function checkWords(): void {
  if (!values.strategy.split(',').every((strategy) => STRATEGIES.includes(strategy))) {
    throw new Error(`--strategy is one or several of ${STRATEGIES.join(',')}`);
  }
  for (const name of ['floats', 'compare'] as const) {
    if (!ON_OFF.includes(values[name])) throw new Error(`--${name} is on or off`);
  }
}

runMain(main);
