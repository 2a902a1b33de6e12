import type { Measured } from './measure';
import { ONE_KEY } from './scenarios';
import { ANSWER_CHUNKS } from './wire';

/** The project's performance goals, and whether a benchmark run has reached them. */
export interface Goal {
  readonly goal: string;
  readonly figure: string;
  readonly met: boolean | undefined;
}

export interface Figures {
  /** The median of all rounds, by scenario and target. */
  readonly of: (scenario: string, target: string) => Measured | undefined;
  /** At half of Tollgate's throughput, the same for all. */
  readonly halfLoad:
    | { readonly direct: Measured; readonly floor: Measured; readonly tollgate: Measured }
    | undefined;
  readonly ledgerPerSecond: number | undefined;
  /** Of Tollgate before its first request: all processes but the console, bytes. */
  readonly idleBytes: number | undefined;
}

const DECIDING = ['policy', 'redis'] as const;
const MIB = 1_048_576;

export function goals({ of, halfLoad, ledgerPerSecond, idleBytes }: Figures): Goal[] {
  const [floor, tollgate, portkey, bifrost] = ['floor', 'tollgate', 'portkey', 'bifrost'].map(
    (target) => of('unary 1 KB', target),
  );
  const floorUs = floor?.cpuUs['floor'];
  const edgeUs = tollgate?.cpuUs['edge'];
  const decidingUs =
    tollgate === undefined
      ? undefined
      : DECIDING.reduce((total, name) => total + (tollgate.cpuUs[name] ?? 0), 0);
  const pipe = perChunk(of, 'floor', 'stream, same format');
  return [
    atMost('all processes against the floor, CPU per request', ratio(sum(tollgate), floorUs), 4.5),
    atMost('edge against the floor, CPU per request', ratio(edgeUs, floorUs), 2.2),
    // In a closed loop the floor answers several times as much as the gateway and finds more work
    // at each wake-up. At equal rates, both have the same cost of waking up.
    atMost(
      'edge against the floor at the same rate, CPU per request',
      ratio(halfLoad?.tollgate.cpuUs['edge'], halfLoad?.floor.cpuUs['floor']),
      2.2,
    ),
    atMost('policy and Redis against the floor', ratio(decidingUs, floorUs), 1.5),
    atMost(
      'all processes against Bifrost with governance',
      ratio(sum(tollgate), sum(bifrost)),
      0.8,
    ),
    atLeast(
      'requests per CPU second of the gateway, × Portkey',
      ratio(portkey?.cpuUs['portkey'], edgeUs),
      5,
    ),
    atLeast(
      'requests a second end to end, × Portkey',
      ratio(tollgate?.perSecond, portkey?.perSecond),
      2,
    ),
    added('added latency at half load, p50 ms', halfLoad, 'p50', 1.2),
    added('added latency at half load, p99 ms', halfLoad, 'p99', 8),
    atMost(
      'chunk of the same format, × a byte pipe',
      ratio(perChunk(of, 'tollgate', 'stream, same format'), pipe),
      1.2,
    ),
    atMost(
      'chunk that is translated, × a byte pipe',
      ratio(perChunk(of, 'tollgate', 'stream, translated'), pipe),
      1.6,
    ),
    ...['100,000 keys', '1,000 budgets', '1,000 models', '100 organisations'].map((much) =>
      atMost(
        `request with ${much}, all processes, × with one`,
        ratio(sum(of(`unary 1 KB, ${much}`, 'tollgate')), sum(of(ONE_KEY.name, 'tollgate'))),
        1.15,
      ),
    ),
    atLeast('records a second into PostgreSQL', ledgerPerSecond, 5_000, 0),
    atMost(
      'memory of an idle installation, MiB',
      idleBytes === undefined ? undefined : idleBytes / MIB,
      450,
    ),
  ];
}

function sum(measured: Measured | undefined): number | undefined {
  if (measured === undefined) return undefined;
  return Object.values(measured.cpuUs).reduce((a, b) => a + b, 0);
}

/** CPU time of the gateway per chunk, µs: the cost of a stream beyond a unary request. */
export function perChunk(
  of: Figures['of'],
  target: 'floor' | 'tollgate' | 'portkey',
  scenario: string,
): number | undefined {
  const name = target === 'tollgate' ? 'edge' : target;
  const stream = of(scenario, target);
  const unary = of('unary 1 KB', target);
  const whole = stream?.cpuUs[name];
  const once = unary?.cpuUs[name];
  if (whole === undefined || once === undefined) return undefined;
  return (whole - once) / ANSWER_CHUNKS;
}

function ratio(of: number | undefined, to: number | undefined): number | undefined {
  return of === undefined || to === undefined || to === 0 ? undefined : of / to;
}

export function atMost(goal: string, value: number | undefined, most: number): Goal {
  const met = value === undefined ? undefined : value <= most;
  return { goal: `${goal} ≤ ${String(most)}`, figure: shown(value, 2), met };
}

function atLeast(goal: string, value: number | undefined, least: number, digits = 2): Goal {
  const met = value === undefined ? undefined : value >= least;
  return { goal: `${goal} ≥ ${String(least)}`, figure: shown(value, digits), met };
}

function added(goal: string, halfLoad: Figures['halfLoad'], at: 'p50' | 'p99', most: number): Goal {
  if (halfLoad === undefined) return atMost(goal, undefined, most);
  const us = halfLoad.tollgate.totalUs[at] - halfLoad.direct.totalUs[at];
  return atMost(goal, us / 1_000, most);
}

const shown = (value: number | undefined, digits: number): string =>
  value === undefined ? 'not measured' : value.toFixed(digits);
