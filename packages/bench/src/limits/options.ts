import { parseArgs } from 'node:util';

import { whole } from '../command-line';
import { portOf } from '../gateway/options';
import { readPeers, type Peer } from '../gateway/peers';

export interface LimitsOptions {
  readonly tollgate: boolean;
  readonly peers: readonly Peer[];
  readonly upstreamPort: number | undefined;
  readonly burst: boolean;
  readonly kill: boolean;
  readonly seconds: number;
  readonly inFlight: number;
  readonly json: string | undefined;
}

export const HELP = `npm run bench:limits -- [options]

Whether limits hold: 200 requests at once on a budget for 20, and kill -9 of the gateway with requests in
flight. Ours is started; others run already (docs/benchmarks.md has recipes). Fails if ours serves more or
fewer than the budget affords, or does not record a request that its provider has begun (but for
the last 0.2 seconds where edge and policy are killed at once).

  --peers <file>      other gateways: url, headers, model, body, pid, budgetHeaders, restart, recorded
  --upstream-port <n> of our upstream, so that peers can be configured before (default: any free one)
  --no-tollgate       only the peers
  --only burst|kill   one of the two
  --seconds <n>       of load before the kill (default 4)
  --in-flight <n>     requests at once before the kill (default 100)
  --json <file>       also write the figures there
`;

/** Undefined when help was requested; throws with the name of an invalid argument. */
export function parseLimits(args: readonly string[]): LimitsOptions | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      peers: { type: 'string' },
      'upstream-port': { type: 'string' },
      'no-tollgate': { type: 'boolean', default: false },
      only: { type: 'string' },
      seconds: { type: 'string', default: '4' },
      'in-flight': { type: 'string', default: '100' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const { only } = values;
  if (only !== undefined && only !== 'burst' && only !== 'kill') {
    throw new RangeError(`--only: burst or kill, not ${only}`);
  }
  return {
    tollgate: !values['no-tollgate'],
    peers: values.peers === undefined ? [] : readPeers(values.peers),
    upstreamPort: portOf(values['upstream-port']),
    burst: only !== 'kill',
    kill: only !== 'burst',
    seconds: whole('--seconds', values.seconds, 1, 600),
    inFlight: whole('--in-flight', values['in-flight'], 1, 10_000),
    json: values.json,
  };
}
