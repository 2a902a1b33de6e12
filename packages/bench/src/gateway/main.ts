import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';

import { fail } from '../command-line';
import { undoing, type Undo } from '../undoing';
import { memoryOfAll } from './accounting';
import { goals, type Figures } from './goals';
import { growth, ledgerDrain, type Growth } from './growth';
import { measure, median, type Measured } from './measure';
import { HELP, parseOptions, type Options } from './options';
import { peerTarget } from './peers';
import { costTable, goalTable, idleTable, latencyTable, memoryTable, noteOn } from './report';
import {
  COLD,
  FRESH_KEYS,
  ONE_KEY,
  SCENARIOS,
  SLOW_STREAMS,
  UNARY,
  withKeys,
  withMany,
  type Scenario,
} from './scenarios';
import { startFloor, startPortkey, startUpstream, type Target } from './target';
import { GROWN, type Grown } from './tenant';
import { startTollgate, type Tollgate } from './tollgate';
import { benchTracing } from './tracing';
import { wrkIsThere } from './wrk';

/** `npm run bench`: see docs/benchmarks.md. */

/** V8 keeps compiling for some seconds of a process's first load. */
const FIRST_WARM_UP_SECONDS = 20;
const WARM_UP_SECONDS = 2;
const OPEN = { connections: 256, warmUpSeconds: WARM_UP_SECONDS };
/** The time limit of a pass that uses every key once. */
const MOST_SECONDS = 120;
const KEY_COUNTS = [1_000, 100_000];
const QUICK_KEYS = 1_000;
const say = (line: string): void => console.error(new Date().toISOString().slice(11, 19), line);

interface Field {
  readonly upstream: Target;
  readonly tollgate: Tollgate;
  /** Every target, the floor first. */
  readonly targets: readonly Target[];
}

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (options === undefined) {
    console.log(HELP);
    return;
  }
  await undoing(async (undo) => {
    const temporary = await mkdtemp(join(tmpdir(), 'tollgate-bench-'));
    undo.push(() => rm(temporary, { recursive: true, force: true }));
    if (options.tracing) {
      console.log(await benchTracing(options, temporary, { say, undo, wrk: byWrk(options) }));
      console.log(`\n${machine(options)}`);
      return;
    }
    const field = await startAll(options, temporary, undo);
    await runAll(options, field);
  });
}

async function startAll(options: Options, temporary: string, undo: Undo): Promise<Field> {
  say('starting');
  const upstream = await startUpstream(undo, options.upstreamPort);
  const keys = Math.max(1, ...keyCounts(options));
  const fresh = chosen(options, COLD) ? FRESH_KEYS * options.rounds : 0;
  const grown = grownOf(options);
  const floor = await startFloor(upstream, undo);
  const tollgate = await startTollgate(
    {
      dir: temporary,
      upstreamUrl: upstream.url,
      keys,
      fresh,
      grown,
      env: options.settings,
    },
    undo,
  );
  const portkey = options.portkey
    ? [await startPortkey(upstream, options.dir ?? temporary, undo)]
    : [];
  const peers = options.peers.map(peerTarget);
  return { upstream, tollgate, targets: [floor, tollgate, ...portkey, ...peers] };
}

/** Memory of each target before its first load, bytes, if known; of peers as they are found. */
function idleMemoryOf({ targets }: Field): Record<string, number | undefined> {
  return Object.fromEntries(
    targets.map(({ name, pids, idleBytes }) => [name, idleBytes ?? memoryOfAll(pids)]),
  );
}

const chosen = ({ only }: Options, { name }: Scenario): boolean =>
  only.length === 0 || only.some((part) => name.includes(part));

const keyCounts = (options: Options): number[] =>
  KEY_COUNTS.filter((count) => !options.quick || count <= QUICK_KEYS).filter((count) =>
    chosen(options, withKeys(count)),
  );

const grownOf = (options: Options): Grown[] =>
  options.quick
    ? []
    : (Object.keys(GROWN) as Grown[]).filter((thing) => chosen(options, withMany(thing)));

async function runAll(options: Options, field: Field): Promise<void> {
  const scenarios = [...SCENARIOS, COLD].filter((one) => chosen(options, one));
  const much = [...keyCounts(options).map(withKeys), ...grownOf(options).map(withMany)];
  const idleBytes = idleMemoryOf(field);
  // Idle connections first: after a load they would fit into memory that the process already has.
  const grown: Growth[] = [];
  if (chosen(options, SLOW_STREAMS)) {
    for (const target of field.targets) {
      if (Object.keys(target.pids).length === 0) continue;
      say(`memory of connections and streams: ${target.name}`);
      grown.push(await growth(target));
    }
  }
  const all: Measured[] = [];
  const inTurn = roundsOf(options, field.targets);
  for (const scenario of scenarios) all.push(...(await inTurn([scenario])));
  if (much.length > 0) all.push(...(await inTurn([ONE_KEY, ...much])));
  const medians = middles(all);
  const of: Figures['of'] = (scenario, target) =>
    medians.find((one) => one.scenario === scenario && one.target === target);
  const whole = options.only.length === 0;
  const latencies =
    of(UNARY.name, 'tollgate') === undefined ? [] : await atLoads(options, field, of);
  if (whole) say('draining the ledger');
  const ledgerPerSecond = whole ? await ledgerDrain(field.tollgate, options.seconds) : undefined;
  const [first] = latencies;
  const [direct, floor, tollgate] = [field.upstream.name, 'floor', 'tollgate'].map((name) =>
    first?.measured.find(({ target }) => target === name),
  );
  const halfLoad = direct && floor && tollgate && { direct, floor, tollgate };
  const reached = goals({ of, halfLoad, ledgerPerSecond, idleBytes: idleBytes['tollgate'] });

  console.log(`\n${machine(options)}`);
  print(medians, latencies, grown, goalTable(reached));
  console.log(`\n${idleTable(idleBytes)}`);
  if (options.json !== undefined) {
    const figures = {
      machine: machine(options),
      all,
      latencies,
      grown,
      idleBytes,
      ledgerPerSecond,
      goals: reached,
    };
    await writeFile(options.json, `${JSON.stringify(figures, null, 2)}\n`);
  }
}

/**
 * Rounds in alternation, so that other load of the machine affects all targets and scenarios alike.
 */
function roundsOf(options: Options, targets: readonly Target[]) {
  const { rounds, seconds, connections } = options;
  const closed = { connections, wrk: byWrk(options) };
  const warm = new Set<Target>();

  return async (scenarios: readonly Scenario[]): Promise<Measured[]> => {
    const measured: Measured[] = [];
    const pairs = scenarios.flatMap((scenario) =>
      targets.filter(scenario.answeredBy).map((target) => ({ scenario, target })),
    );
    for (const { scenario, target } of pairs) {
      const first = !options.quick && !warm.has(target);
      warm.add(target);
      await warmUp(scenario, target, {
        ...closed,
        seconds: first ? FIRST_WARM_UP_SECONDS : WARM_UP_SECONDS,
      });
    }
    for (let round = 1; round <= rounds; round += 1) {
      // In alternating order, so that work left over by one target (booking, vacuuming) affects
      // different ones.
      for (const { scenario, target } of round % 2 === 1 ? pairs : pairs.toReversed()) {
        const one = await measure(scenario, target, { ...closed, seconds });
        measured.push(one);
        say(
          `${scenario.name}, ${target.name}, round ${String(round)}: ${one.perSecond.toFixed(0)}/s`,
        );
      }
    }
    return measured;
  };
}

/** Cold scenarios have no warm-up; large sets are used once in full. */
async function warmUp(
  scenario: Scenario,
  target: Target,
  closed: { readonly connections: number; readonly wrk: boolean; readonly seconds: number },
): Promise<void> {
  if (scenario.keys === 'fresh') return;
  if (typeof scenario.keys === 'string' && scenario.keys in GROWN) {
    await measure(scenario, target, { ...closed, seconds: MOST_SECONDS, once: true });
  }
  await measure(scenario, target, closed);
}

function middles(all: readonly Measured[]): Measured[] {
  const groups = Map.groupBy(all, ({ scenario, target }) => `${scenario}\n${target}`);
  return [...groups.values()].map((group) =>
    median(group, ({ cpuUs }) => Object.values(cpuUs)[0] ?? 0),
  );
}

interface Latencies {
  readonly offered: number;
  readonly measured: readonly Measured[];
}

/** Open loop at half of Tollgate's throughput, and at half of Portkey's. */
async function atLoads(
  { seconds, rounds }: Options,
  { upstream, targets }: Field,
  of: Figures['of'],
): Promise<Latencies[]> {
  const loads = ['tollgate', 'portkey'].flatMap((name) => {
    const most = of(UNARY.name, name)?.perSecond;
    return most === undefined ? [] : [Math.round(most / 2)];
  });
  const latencies: Latencies[] = [];
  for (const offered of loads) {
    const all: Measured[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      for (const target of [upstream, ...targets]) {
        say(
          `${String(offered)} requests a second offered to ${target.name}, round ${String(round)}`,
        );
        all.push(await measure(UNARY, target, { ...OPEN, seconds, perSecond: offered }));
      }
    }
    const groups = Map.groupBy(all, ({ target }) => target);
    const measured = [...groups.values()].map((group) =>
      median(group, ({ totalUs }) => totalUs.p99),
    );
    latencies.push({ offered, measured });
  }
  return latencies;
}

const byWrk = ({ wrk }: Options): boolean => wrk && wrkIsThere();

const machine = (options: Options): string =>
  `${String(cpus().length)} × ${cpus()[0]?.model ?? 'unknown'}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, ` +
  `Node ${process.version}, load ${loadavg()[0]?.toFixed(1) ?? ''}; closed loops of ` +
  `${String(options.connections)} connections by ${byWrk(options) ? 'wrk' : 'our own generator'}`;

function print(
  medians: readonly Measured[],
  latencies: readonly Latencies[],
  grown: readonly Growth[],
  goalsReached: string,
): void {
  console.log(`\nCPU per request, µs, and requests a second in a closed loop\n`);
  console.log(costTable(medians));
  console.log(noteOn(medians));
  for (const { offered, measured } of latencies) {
    console.log(`\nLatency with ${String(offered)} requests a second offered (open loop)\n`);
    console.log(latencyTable(measured));
  }
  if (grown.length > 0) {
    console.log('\nMemory\n');
    console.log(
      memoryTable(
        grown,
        medians.filter(({ scenario }) => scenario === UNARY.name),
      ),
    );
  }
  console.log(`\nGoals\n\n${goalsReached}`);
}

void main().catch(fail);
