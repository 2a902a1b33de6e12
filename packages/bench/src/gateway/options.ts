import { parseArgs } from 'node:util';

import { whole } from '../command-line';
import { peerOf, readPeers, type Peer } from './peers';
import { CONNECTIONS } from './scenarios';

export interface Options {
  readonly seconds: number;
  readonly rounds: number;
  readonly connections: number;
  /** One round with little load, without slow preparations. */
  readonly quick: boolean;
  /** What tracing costs, in place of everything else. */
  readonly tracing: boolean;
  readonly wrk: boolean;
  readonly only: readonly string[];
  readonly peers: readonly Peer[];
  /** Undefined: any free one. */
  readonly upstreamPort: number | undefined;
  readonly portkey: boolean;
  readonly dir: string | undefined;
  readonly json: string | undefined;
  /** Settings of every service of Tollgate, by name. */
  readonly settings: Readonly<Record<string, string>>;
}

export const HELP = `npm run bench -- [options]

Measures Tollgate beside the least that a proxy can do (the floor) and beside Portkey's gateway, one
after another on this machine, in several rounds. Takes about 10 minutes where nothing else runs.

  --seconds <n>       of load per scenario, target and round (default 5)
  --rounds <n>        the middle one of which counts (default 3)
  --connections <n>   of a closed loop (default 64: enough to keep a core busy; with few, processes sleep
                      between requests and their waking up is most of the cost)
  --quick             one round of 2 seconds, at most 1,000 keys, one of each other thing: whether it
                      runs, not how fast; takes less than 5 minutes
  --tracing           what tracing costs, and nothing else: off, with a sampler that takes none, 1 % and
                      100 % of the requests, and while the collector is frozen for a minute
  --no-wrk            closed loops by our own generator; otherwise wrk makes them where it is installed
  --only <part>       scenarios whose name has this in it; may be given more than once
  --peer <name=url>   another gateway that runs already, over http:, in OpenAI's format, with our upstream
  --peers <file>      several, with headers, model names, processes and fields of the body:
                      docs/benchmarks.md
  --upstream-port <n> of our upstream, so that peers can be configured before (default: any free one)
  --no-portkey        leave Portkey's gateway out; it is installed from the registry otherwise
  --dir <folder>      where it is installed (default: a temporary folder)
  --json <file>       also write every figure of every round there
  --set <NAME=value>  a setting of every service of Tollgate, as FLOATS=off; may be given more than once
`;

const DEFINED = {
  seconds: { type: 'string', default: '5' },
  rounds: { type: 'string', default: '3' },
  connections: { type: 'string', default: String(CONNECTIONS) },
  quick: { type: 'boolean', default: false },
  tracing: { type: 'boolean', default: false },
  only: { type: 'string', multiple: true, default: [] as string[] },
  peer: { type: 'string', multiple: true, default: [] as string[] },
  peers: { type: 'string' },
  'upstream-port': { type: 'string' },
  'no-wrk': { type: 'boolean', default: false },
  'no-portkey': { type: 'boolean', default: false },
  dir: { type: 'string' },
  json: { type: 'string' },
  set: { type: 'string', multiple: true, default: [] as string[] },
  help: { type: 'boolean', default: false },
} as const;

/** Undefined when help was requested; throws with the name of an invalid argument. */
export function parseOptions(args: readonly string[]): Options | undefined {
  const { values } = parseArgs({ args: [...args], options: DEFINED });
  if (values.help) return undefined;
  return {
    seconds: values.quick ? 2 : whole('--seconds', values.seconds, 1, 600),
    rounds: values.quick ? 1 : whole('--rounds', values.rounds, 1, 99),
    connections: whole('--connections', values.connections, 1, 10_000),
    quick: values.quick,
    tracing: values.tracing,
    wrk: !values['no-wrk'],
    only: values.only,
    peers: [
      ...values.peer.map(peerOf),
      ...(values.peers === undefined ? [] : readPeers(values.peers)),
    ],
    upstreamPort: portOf(values['upstream-port']),
    portkey: !values['no-portkey'],
    dir: values.dir,
    json: values.json,
    settings: Object.fromEntries(values.set.map(settingOf)),
  };
}

function settingOf(text: string): [name: string, value: string] {
  const [, name, value] = /^([A-Z][A-Z0-9_]*)=(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new RangeError(`--set must be NAME=value, got ${JSON.stringify(text)}`);
  return [name, value];
}

/** @throws RangeError unless it is a port */
export function portOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : whole('--upstream-port', text, 1_024, 65_535);
}
