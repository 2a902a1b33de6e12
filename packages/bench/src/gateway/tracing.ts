// `npm run bench -- --tracing`: what tracing costs. One installation has an edge for each way of sampling, all
// with the same policy, Redis and catalog, so that they differ in nothing else.

import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@tollgate/stack';

import type { Undo } from '../undoing';
import { atMost, type Goal } from './goals';
import { measure, median, type Measured } from './measure';
import type { Options } from './options';
import { costTable, goalTable, latencyTable, table } from './report';
import { STREAM, UNARY } from './scenarios';
import { startCollector, startUpstream, type Target } from './target';
import { startTollgate, type Tollgate } from './tollgate';
import { profileTracing } from './tracing-profile';

/** The ways of sampling that are measured, in the order of the tables. */
export const WAYS = ['off', 'none sampled', '1 % sampled', '100 % sampled', 'frozen'] as const;
export type Way = (typeof WAYS)[number] | typeof TWIN;

/** A second edge without tracing: what two equal processes differ by. */
const TWIN = 'off again';

/**
 * A `traceparent` whose id the ratio leaves out and whose flag asks for a trace. An edge that traces 1 % needs an hour
 * until V8 has compiled what traces a request; with this it takes the warm-up.
 */
const ASKS_FOR_TRACE = `00-${'1'.repeat(18)}${'0'.repeat(14)}-${'2'.repeat(16)}-01`;

const ratio = (part: string): Record<string, string> => ({
  OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
  OTEL_TRACES_SAMPLER_ARG: part,
});

/** They cost almost as little as `off`, so they alternate with it every second: over longer runs the machine's speed changes by more. */
const CHEAP_WAYS: readonly Way[] = ['off', TWIN, 'none sampled', '1 % sampled'];
const SLICE_SECONDS = 1;

const RARE = '1 % sampled';

/** Settings of edges beside the first one, which samples everything. */
const EDGES: Partial<Record<Way, Record<string, string>>> = {
  off: { OTEL_SDK_DISABLED: 'true' },
  [TWIN]: { OTEL_SDK_DISABLED: 'true' },
  'none sampled': { OTEL_TRACES_SAMPLER: 'always_off' },
  [RARE]: ratio('0.01'),
};

/** V8 keeps compiling for some seconds of a process's first load. */
const WARM_UP_SECONDS = 20;
const QUICK_WARM_UP_SECONDS = 2;
/** A profile has some hundred samples of what 1 % of the requests need. */
const PROFILE_SECONDS = 60;
const FROZEN_SECONDS = 60;
/** What waited for a frozen collector is sent within it. */
const THAW_MS = 3_000;
const OPEN_CONNECTIONS = 256;

/** The same load in every way. */
export type Round = ReadonlyMap<Way, Measured>;

interface Tools {
  readonly say: (line: string) => void;
  readonly undo: Undo;
  readonly wrk: boolean;
}

/** @returns the tables and the goals */
export async function benchTracing(
  options: Options,
  dir: string,
  { say, undo, wrk }: Tools,
): Promise<string> {
  say('starting');
  const upstream = await startUpstream(undo, options.upstreamPort);
  const collector = await startCollector(undo);
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const tollgate = await startTollgate({ dir, upstreamUrl: upstream.url, keys: 1, env }, undo);
  const inspectorPort = await freePort();
  const targets = await edgesOf(tollgate, inspectorPort);
  const freeze = freezer(collector.pid, undo);

  const load = async (
    way: Way,
    run: Parameters<typeof measure>[2],
    scenario = UNARY,
    headers: Readonly<Record<string, string>> = {},
  ) => {
    const own = targets.get(way) ?? tollgate;
    const target = { ...own, headers: { ...own.headers, ...headers } };
    if (way === 'frozen') freeze('SIGSTOP');
    const measured = await measure(scenario, target, run);
    if (way === 'frozen') {
      freeze('SIGCONT');
      await pause(THAW_MS);
    }
    say(`${scenario.name}, ${way}: ${measured.perSecond.toFixed(0)}/s`);
    return { ...measured, target: way };
  };
  const { connections, quick, rounds, seconds } = options;
  const closed = { connections, seconds, wrk };
  const warmUp = { ...closed, seconds: quick ? QUICK_WARM_UP_SECONDS : WARM_UP_SECONDS };
  for (const scenario of [UNARY, STREAM]) {
    for (const way of [...WAYS, TWIN] as const) {
      if (way !== 'frozen') await load(way, warmUp, scenario);
    }
  }
  const whole = await inTurn((way) => load(way, closed), WAYS, rounds);
  const slice = { ...closed, seconds: SLICE_SECONDS };
  const slices = 2 * rounds * seconds;
  const cheap = await inTurn((way) => load(way, slice), CHEAP_WAYS, slices);
  await load(RARE, warmUp, UNARY, { traceparent: ASKS_FOR_TRACE });
  await load(RARE, warmUp);
  const profiling = { ...closed, seconds: quick ? seconds : PROFILE_SECONDS };
  const parts = await profileTracing(targets.get(RARE), inspectorPort, () => load(RARE, profiling));
  const profiled = [...parts.values()].reduce((sum, us) => sum + us, 0);
  const streams = await inTurn((way) => load(way, closed, STREAM), WAYS, rounds);
  const perSecond = Math.round(middleOf(whole, 'off').perSecond / 2);
  const open = { connections: OPEN_CONNECTIONS, warmUpSeconds: QUICK_WARM_UP_SECONDS, perSecond };
  const frozenFor = quick ? seconds : Math.max(seconds, FROZEN_SECONDS);
  const openFor = (way: Way): number =>
    way === 'frozen' || way === '100 % sampled' ? frozenFor : seconds;
  const halfLoad = await inTurn(
    (way) => load(way, { ...open, seconds: openFor(way) }),
    WAYS,
    rounds,
  );
  const figures = { whole, cheap, profiled, streams, halfLoad };
  return report(figures, parts, { perSecond, spans: await spanTable(tollgate) });
}

function report(
  figures: TracingFigures,
  parts: ReadonlyMap<string, number>,
  { perSecond, spans }: { readonly perSecond: number; readonly spans: string },
): string {
  const { cheap, halfLoad, streams, whole } = figures;
  return [
    '\nCPU per request, µs, and requests a second in a closed loop\n',
    costTable([
      ...WAYS.map((way) => middleOf(whole, way)),
      ...WAYS.map((way) => middleOf(streams, way)),
    ]),
    `\nLatency with ${String(perSecond)} requests a second offered (open loop)\n`,
    latencyTable(WAYS.map((way) => middleOf(halfLoad, way))),
    '\nSpans of the edge that samples everything\n',
    spans,
    `\n${noiseOf(cheap)}`,
    '\n1 % sampled, by what takes it\n',
    table(
      ['what', 'µs a request'],
      [...parts].map(([what, us]) => [what, us.toFixed(2)]),
    ),
    `\nGoals\n\n${goalTable(tracingGoals(figures))}`,
  ].join('\n');
}

/** Measures each way in each round, every second round backwards. */
async function inTurn(
  run: (way: Way) => Promise<Measured>,
  ways: readonly Way[],
  count: number,
): Promise<Round[]> {
  const rounds: Round[] = [];
  for (let at = 0; at < count; at += 1) {
    const round = new Map<Way, Measured>();
    for (const way of at % 2 === 0 ? ways : ways.toReversed()) round.set(way, await run(way));
    rounds.push(round);
  }
  return rounds;
}

/** One edge for each way; the frozen collector belongs to the one that samples everything. */
async function edgesOf(tollgate: Tollgate, inspectorPort: number): Promise<Map<Way, Target>> {
  const targets = new Map<Way, Target>();
  const inspected = { NODE_OPTIONS: `--inspect=127.0.0.1:${String(inspectorPort)}` };
  for (const [way, settings] of Object.entries(EDGES) as [Way, Record<string, string>][]) {
    const env = way === RARE ? { ...settings, ...inspected } : settings;
    const { pid, url } = await tollgate.moreEdge(`edge-${way.replace(/\W+/g, '-')}`, env);
    targets.set(way, { ...tollgate, url, pids: { ...tollgate.pids, edge: pid } });
  }
  return targets;
}

/** A frozen process cannot be ended, so it goes on before the end. */
function freezer(pid: number, undo: Undo): (signal: 'SIGSTOP' | 'SIGCONT') => void {
  undo.push(() => {
    process.kill(pid, 'SIGCONT');
    return Promise.resolve();
  });
  return (signal) => void process.kill(pid, signal);
}

const edgeUs = ({ cpuUs }: Measured): number => cpuUs['edge'] ?? Number.NaN;

function middleOf(rounds: readonly Round[], way: Way): Measured {
  return median(of(rounds, way), edgeUs);
}

function of(rounds: readonly Round[], way: Way): Measured[] {
  return rounds.flatMap((round) => round.get(way) ?? []);
}

/** The middle one of what a way costs more than `off` in the same round, µs. */
function moreThanOff(rounds: readonly Round[], way: Way): number | undefined {
  const differences = rounds.flatMap((round) => {
    const [off, other] = [round.get('off'), round.get(way)];
    return off && other ? [edgeUs(other) - edgeUs(off)] : [];
  });
  return differences.length === 0 ? undefined : median(differences, (one) => one);
}

/** What 1 % costs by the processor time of whole processes, and what two equal ones differ by. */
function noiseOf(rounds: readonly Round[]): string {
  const [rare, twin] = [RARE, TWIN].map((way) => moreThanOff(rounds, way as Way)?.toFixed(1));
  return `1 % sampled, more CPU of the edge per request: ${rare ?? '?'} µs; a second edge without tracing: ${twin ?? '?'} µs`;
}

/** The middle one of how many times p99 is that of a collector that answers. */
function slowerThanSampled(rounds: readonly Round[], way: Way): number | undefined {
  const ratios = rounds.flatMap((round) => {
    const [answering, other] = [round.get('100 % sampled'), round.get(way)];
    return answering && other ? [other.totalUs.p99 / answering.totalUs.p99] : [];
  });
  return ratios.length === 0 ? undefined : median(ratios, (one) => one);
}

export interface TracingFigures {
  readonly whole: readonly Round[];
  /** Many short rounds of the ways that cost next to nothing. */
  readonly cheap: readonly Round[];
  /** What 1 % sampled costs by the profiler, µs. Undefined: not measured. */
  readonly profiled: number | undefined;
  readonly streams: readonly Round[];
  readonly halfLoad: readonly Round[];
}

const MIB = 1_048_576;

export function tracingGoals({
  cheap,
  halfLoad,
  profiled,
  streams,
  whole,
}: TracingFigures): Goal[] {
  const peak = (rounds: readonly Round[], way: Way): number =>
    Math.max(...of(rounds, way).map(({ peakRss }) => peakRss['edge'] ?? Number.NaN));
  // Both ways have one edge; only the first round of `whole` gives its peak before the collector was ever frozen.
  const before = peak(whole.slice(0, 1), '100 % sampled');
  const grown = halfLoad.length === 0 ? undefined : (peak(halfLoad, 'frozen') - before) / MIB;
  return [
    atMost(
      'none sampled, more CPU of the edge per request, µs',
      moreThanOff(cheap, 'none sampled'),
      1,
    ),
    atMost('1 % sampled, CPU of tracing per request, by the profiler, µs', profiled, 2),
    atMost(
      '100 % sampled, more CPU of the edge per request, µs',
      moreThanOff(whole, '100 % sampled'),
      120,
    ),
    atMost(
      '100 % sampled, more CPU of the edge per stream, µs',
      moreThanOff(streams, '100 % sampled'),
      120,
    ),
    atMost(
      'collector frozen, p99 × that of one that answers',
      slowerThanSampled(halfLoad, 'frozen'),
      1.1,
    ),
    atMost('collector frozen, more peak memory of the same edge, MiB', grown, 128),
  ];
}

/** Counters of the edge, as its port for operators tells them. */
async function spanTable({ edgeOpsUrl }: Tollgate): Promise<string> {
  const text = await (await fetch(`${edgeOpsUrl}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith('tollgate_trace_'));
  const rows = lines.map((line) => {
    const at = line.lastIndexOf(' ');
    return [line.slice(0, at), line.slice(at + 1)];
  });
  return table(['metric', 'value'], rows);
}
