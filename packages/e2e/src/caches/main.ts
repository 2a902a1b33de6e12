import { parseArgs } from 'node:util';

import { startGateway, undo } from '../gateway/gateway';
import {
  CANDIDATES,
  furnish,
  recovered,
  startTalks,
  warmthOf,
  type House,
  type Turn,
} from './conversations';

// `npm run caches`: how many turns of conversations find their prompt in the provider's cache, with
// affinity and without, while a candidate is killed and comes back. It fails below the goal.

const { values } = parseArgs({
  options: {
    conversations: { type: 'string', default: '1000' },
    turns: { type: 'string', default: '20' },
    edges: { type: 'string', default: '4' },
    policies: { type: 'string', default: '2' },
    'at-once': { type: 'string', default: '32' },
    strategy: { type: 'string', default: 'round_robin' },
    floats: { type: 'string', default: 'off' },
    help: { type: 'boolean', default: false },
  },
  allowPositionals: false,
});

const HELP = `npm run caches -- [options]
  --conversations N  conversations (1000)
  --turns N          turns of each (20); a candidate is killed after a third, and is back after two thirds
  --edges N          edges that the turns go through (4)
  --policies N       policies that choose the candidates (2)
  --at-once N        turns at the same time (32)
  --strategy S       round_robin, weighted or lowest_latency (round_robin)
  --floats on|off    decisions from memory (off)
`;

/** Per cent of the turns after the first. */
const GOAL = 97;

async function main(): Promise<number> {
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  checkWords();
  const warm = await run(true);
  await run(false);
  const reached = warm >= GOAL;
  process.stdout.write(
    `${reached ? 'Reached' : 'Missed'}: ${GOAL} % of turns where the cache is.\n`,
  );
  return reached ? 0 : 1;
}

async function run(affinity: boolean): Promise<number> {
  const cleanup: (() => Promise<unknown>)[] = [];
  try {
    const gateway = await startGateway({
      edges: whole('edges'),
      policies: whole('policies'),
      env: {
        edge: { CONVERSATION_AFFINITY: String(affinity) },
        policy: {
          UPSTREAM_BREAKER_OPEN_MS: '1000',
          ...(values.floats === 'on' ? { FLOATS: 'on', FLOATS_FROM_RPS: '0' } : {}),
        },
      },
    });
    cleanup.push(gateway.stop);
    const house = await furnish(gateway, values.strategy, cleanup);
    const urls = gateway.edges.map((_, at) => gateway.edgeUrl(at));
    const talks = startTalks(urls, house.key, {
      conversations: whole('conversations'),
      atOnce: whole('at-once'),
    });
    cleanup.push(talks.stop);
    const [door] = house.doors;
    const count = whole('turns');
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
    process.stdout.write(await report(affinity, house, turns, seconds));
    const { warm, turns: later } = warmthOf(turns);
    return (warm / later) * 100;
  } finally {
    await undo(cleanup);
  }
}

const share = (part: number, whole: number): string => `${((part / whole) * 100).toFixed(1)} %`;

async function report(
  affinity: boolean,
  house: House,
  turns: readonly Turn[],
  seconds: number,
): Promise<string> {
  const { cachedTokens, possibleTokens, turns: later, warm } = warmthOf(turns);
  const firsts = turns.filter(({ turn }) => turn === 0);
  const shares = CANDIDATES.map((name) => {
    const own = firsts.filter(({ model }) => model === name).length;
    return `${name} ${share(own, firsts.length)}`;
  });
  const billed = [...(await house.bill()).values()];
  const inBill = billed.reduce((sum, { cacheRead }) => sum + cacheRead, 0);
  const input = billed.reduce((sum, one) => sum + one.input + one.cacheRead, 0);
  return [
    `affinity ${affinity ? 'on' : 'off'}, ${values.strategy}: ${turns.length} turns in ${seconds.toFixed(0)} s`,
    `  turns where the cache is: ${share(warm, later)} (${warm} of ${later})`,
    `  tokens of earlier turns read from the cache: ${share(cachedTokens, possibleTokens)}`,
    `  input that the upstream billed as cached: ${share(inBill, input)}`,
    `  first turns: ${shares.join(', ')}\n`,
  ].join('\n');
}

/** A candidate is killed after a third of the turns, so there are at least three. */
const LEAST = { conversations: 1, turns: 3, edges: 1, policies: 1, 'at-once': 1 } as const;

function whole(name: keyof typeof LEAST): number {
  const value = Number(values[name]);
  if (!Number.isSafeInteger(value) || value < LEAST[name]) {
    throw new Error(`--${name} is a whole number from ${String(LEAST[name])} on`);
  }
  return value;
}

const STRATEGIES = ['round_robin', 'weighted', 'lowest_latency'];
const FLOATS = ['on', 'off'];

function checkWords(): void {
  if (!STRATEGIES.includes(values.strategy)) {
    throw new Error(`--strategy is one of ${STRATEGIES.join(', ')}`);
  }
  if (!FLOATS.includes(values.floats)) throw new Error('--floats is on or off');
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? '') : String(error)}\n`);
    process.exitCode = 1;
  },
);
