// The only place of this service that reads environment variables.
import { createHash } from 'node:crypto';
import { LEASE_MAX_MS } from '@tollgate/contracts';
import { catalogClientShape } from '@tollgate/contracts/node';
import {
  callerShape,
  ConfigError,
  envVar,
  grpcShape,
  readConfig,
  serviceShape,
  type ConfigOf,
  type Env,
} from '@tollgate/kit';
import { tracingShape } from '@tollgate/kit/tracing';

import { checkParameters, FLOAT_PARAMETERS, longestItemMs } from './floats/parameters';

export const configShape = {
  ...serviceShape,
  ...grpcShape,
  ...callerShape,
  ...tracingShape,
  POLICY_GRPC_PORT: envVar.port({ default: 50051, description: 'Port of the gRPC service.' }),
  POLICY_HTTP_PORT: envVar.port({
    default: 8082,
    description:
      'Port for operators: /livez, /readyz, /healthz and /metrics; do not expose it to clients.',
  }),
  POLICY_WORKERS: envVar.workers({
    default: 1,
    description:
      'Number of processes that share the ports; auto: one for each processor. SIGHUP replaces them one by one.',
  }),
  REDIS_URL: envVar.secret({
    default: 'redis://127.0.0.1:6379',
    check: (text) => {
      const wrong = text.split(',').some((url) => !/^rediss?:\/\//.test(url) || !URL.canParse(url));
      if (wrong) throw new RangeError('must begin with redis:// or rediss://');
    },
    description:
      'URL of the Redis with counters, holds and the ledger stream; for a cluster several, separated by commas.',
  }),
  REDIS_CLUSTER: envVar.bool({
    default: false,
    description: 'Whether REDIS_URL is a Redis Cluster.',
  }),
  REDIS_DEADLINE_MS: envVar.durationMs({
    default: 250,
    min: 10,
    max: 10_000,
    description: 'How long a decision waits for Redis.',
  }),
  ...catalogClientShape,
  CATALOG_DEADLINE_MS: envVar.durationMs({
    default: 300,
    min: 10,
    max: 10_000,
    description: 'How long a decision waits for the catalog.',
  }),
  CATALOG_LEDGER_DEADLINE_MS: envVar.durationMs({
    default: 10_000,
    min: 100,
    max: 60_000,
    description: 'How long the ledger waits for the catalog to commit a batch.',
  }),
  CONTEXT_FRESH_MS: envVar.durationMs({
    default: 30_000,
    description: 'Age at which a cached key is read again, unless the catalog has confirmed it.',
  }),
  CONTEXT_STALE_MS: envVar.durationMs({
    default: 900_000,
    description: 'Age up to which a cached key is used while the catalog is unreachable.',
  }),
  CONTEXT_CACHE_MAX: envVar.int({
    default: 100_000,
    min: 16,
    description:
      'Maximum number of cached keys (1.2 KB each); beyond it the least recently used are dropped.',
  }),
  LEASE_MS: envVar.durationMs({
    default: 60_000,
    min: 100,
    max: LEASE_MAX_MS,
    description:
      'How long a hold lives without being extended; at least three times the edges’ POLICY_DEADLINE_MS.',
  }),
  LEASE_GRACE_MS: envVar.durationMs({
    default: 1_000,
    description: 'How long after the end of its lease a hold counts as abandoned.',
  }),
  FLOATS: envVar.choice({
    choices: ['off', 'on'],
    default: 'on',
    description:
      'Whether amounts of busy limits are taken in advance, so that requests are decided without Redis. Nothing is taken while a policy runs that does not know how. Set it to off before you go back to such a release.',
  }),
  FLOATS_FROM_RPS: envVar.int({
    default: 250,
    min: 0,
    description:
      'With FLOATS=on: requests a second of one shard (of some organisations) at one policy process from which amounts are taken in advance, counted over 150 ms. With fewer, reporting costs more than it saves.',
  }),
  LEDGER_STREAM_MAX: envVar.int({
    default: 10_000,
    min: 1,
    description:
      'Maximum ledger entries of one shard that wait to be booked; beyond it requests are refused.',
  }),
  RESPONSES_KEPT_MAX: envVar.int({
    default: 100_000,
    min: 1,
    description:
      'Maximum stored responses and conversations of one organisation, for 30 days; beyond it the oldest are forgotten.',
  }),
  MCP_REQUESTS_PER_MINUTE: envVar.int({
    default: 600,
    min: 1,
    max: 1_000_000,
    description:
      'Requests per minute of one key to MCP servers that are no calls, such as lists and handshakes.',
  }),
  UPSTREAM_BREAKER_WINDOW_MS: envVar.durationMs({
    default: 30_000,
    min: 1_000,
    description:
      'Window in which failures of one model at its provider are counted for its breaker.',
  }),
  UPSTREAM_BREAKER_FAILURES: envVar.int({
    default: 5,
    min: 1,
    description:
      'Failures within the window that open the breaker, so that routing leaves the model out.',
  }),
  UPSTREAM_BREAKER_PERCENT: envVar.int({
    default: 50,
    min: 1,
    max: 100,
    description:
      'Percentage of failed attempts within the window that is also required to open the breaker.',
  }),
  UPSTREAM_BREAKER_OPEN_MS: envVar.durationMs({
    default: 15_000,
    min: 100,
    description: 'How long a breaker stays open before one request may probe the model.',
  }),
  UPSTREAM_BREAKER_FORGET_MS: envVar.durationMs({
    default: 60_000,
    min: 100,
    description: 'How long after that a breaker closes again if no request has probed the model.',
  }),
  UPSTREAM_PROBE_MS: envVar.durationMs({
    default: 30_000,
    min: 100,
    description: 'How long a probe may take before another request may probe the model.',
  }),
  UPSTREAM_COOLDOWN_MAX_MS: envVar.durationMs({
    default: 300_000,
    description: 'Longest cooldown that an upstream’s retry-after can set.',
  }),
  CONVERSATION_MOVED_MS: envVar.durationMs({
    default: 300_000,
    min: 1_000,
    max: 86_400_000,
    description:
      'How long after its last turn a conversation stays with the candidate that replaced its first one. Set it to the time for which providers keep cached prompts.',
  }),
  OPEN_GRACE_MS: envVar.durationMs({
    default: 2_000,
    description: 'How long a shard refuses new requests after Redis has lost data.',
  }),
  DRAIN_INTERVAL_MS: envVar.durationMs({
    default: 100,
    min: 1,
    description:
      'Pause between two reads of a shard’s ledger stream; five times as long after few entries.',
  }),
  SWEEP_INTERVAL_MS: envVar.durationMs({
    default: 1_000,
    min: 10,
    description: 'Pause between two searches for expired leases.',
  }),
  CHECKPOINT_INTERVAL_MS: envVar.durationMs({
    default: 5_000,
    min: 100,
    description: 'Pause between two reports of long-running holds to the catalog.',
  }),
  ITEM_DEADLINE_MS: envVar.durationMs({
    default: 450,
    min: 10,
    description:
      'Deadline of one item of a session; must be shorter than the edge’s POLICY_DEADLINE_MS, and at most 1250 unless FLOATS=off.',
  }),
  SESSION_WINDOW: envVar.int({
    default: 4_096,
    min: 1,
    description: 'Maximum unanswered items of one session; further items fail at once.',
  }),
  HOLD_TOKEN_SECRET: envVar.secret({
    default: '',
    description:
      'Secret that signs hold tokens, the same for every policy. Of several, separated by commas, the first signs and all verify. Unset: derived from INTERNAL_TOKEN and INTERNAL_TOKENS.',
  }),
  SHUTDOWN_TIMEOUT_MS: envVar.durationMs({
    default: 20_000,
    description: 'How long a shutdown may take before the process exits anyway.',
  }),
} as const;

export type Config = ConfigOf<typeof configShape>;

/**
 * Secrets of hold tokens: the first signs, all of them verify. Without HOLD_TOKEN_SECRET one is
 * derived from what every policy knows: its own token, which callers of policy do not have, and the
 * tokens it accepts. On loopback there may be no tokens; access is open there anyway.
 */
export function holdTokenSecrets(
  config: Pick<Config, 'HOLD_TOKEN_SECRET' | 'INTERNAL_TOKEN' | 'INTERNAL_TOKENS'>,
): [string, ...string[]] {
  const [first, ...rest] = config.HOLD_TOKEN_SECRET.split(',').filter((secret) => secret !== '');
  if (first !== undefined) return [first, ...rest];
  const known = [config.INTERNAL_TOKENS, config.INTERNAL_TOKEN].filter((text) => text !== '');
  const derived = createHash('sha256').update(`hold-token\n${known.join('\n')}`);
  return [derived.digest('hex')];
}

/** Reports every problem of the environment at once. */
export function loadConfig(env: Env = process.env): Config {
  const config = readConfig('policy', configShape, env);
  if (config.FLOATS === 'on') {
    try {
      checkParameters(FLOAT_PARAMETERS, config.ITEM_DEADLINE_MS + EDGE_SLACK_MS);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const most = longestItemMs(FLOAT_PARAMETERS) - EDGE_SLACK_MS;
      throw new ConfigError('policy', [
        `ITEM_DEADLINE_MS: at most ${String(most)} unless FLOATS=off: ${error.message}`,
      ]);
    }
  }
  return config;
}

/** An edge waits for an item for longer than policy does. */
const EDGE_SLACK_MS = 50;

/** The variables that are needed to read the live store. */
export function loadStoreConfig(
  env: Env = process.env,
): Pick<Config, 'REDIS_URL' | 'REDIS_CLUSTER'> {
  const { REDIS_URL, REDIS_CLUSTER } = configShape;
  return readConfig('policy', { REDIS_URL, REDIS_CLUSTER }, env);
}
