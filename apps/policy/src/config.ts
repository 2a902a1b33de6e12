// The one place of this service that knows the environment's variables.
import { createHash } from 'node:crypto';

import { LEASE_MAX_MS } from '@tollgate/contracts';
import {
  callerShape,
  type ConfigOf,
  type Env,
  envVar,
  grpcShape,
  readConfig,
  serviceShape,
} from '@tollgate/kit';

export const configShape = {
  ...serviceShape,
  ...grpcShape,
  ...callerShape,
  POLICY_GRPC_PORT: envVar.port({ default: 50051, description: 'Port of the gRPC service' }),
  POLICY_HTTP_PORT: envVar.port({
    default: 8082,
    description: 'Port for operators: health and metrics',
  }),
  POLICY_WORKERS: envVar.workers({
    default: 1,
    description:
      'Processes that serve the ports together; auto: one for each processor. SIGHUP replaces them one after the other',
  }),
  REDIS_URL: envVar.secret({
    default: 'redis://127.0.0.1:6379',
    check: (text) => {
      const wrong = text.split(',').some((url) => !/^rediss?:\/\//.test(url) || !URL.canParse(url));
      if (wrong) throw new RangeError('must begin with redis:// or rediss://');
    },
    description:
      'Where counters, holds and the ledger stream are; of a cluster several, with commas',
  }),
  REDIS_CLUSTER: envVar.bool({ default: false, description: 'REDIS_URL is a Redis Cluster' }),
  REDIS_DEADLINE_MS: envVar.durationMs({
    default: 250,
    min: 10,
    max: 10_000,
    description: 'How long a decision waits for Redis',
  }),
  CATALOG_GRPC_ADDRESS: envVar.string({
    default: '127.0.0.1:50052',
    description: 'host:port of the catalog’s gRPC service',
  }),
  CATALOG_DEADLINE_MS: envVar.durationMs({
    default: 300,
    min: 10,
    max: 10_000,
    description: 'How long a decision waits for the catalog',
  }),
  CATALOG_LEDGER_DEADLINE_MS: envVar.durationMs({
    default: 10_000,
    min: 100,
    max: 60_000,
    description: 'How long the ledger waits for the catalog to commit a batch',
  }),
  CONTEXT_FRESH_MS: envVar.durationMs({
    default: 30_000,
    description: 'How long after the catalog last said what holds a key context is read anew',
  }),
  CONTEXT_STALE_MS: envVar.durationMs({
    default: 900_000,
    description: 'Age up to which a context serves while the catalog is away',
  }),
  CONTEXT_CACHE_MAX: envVar.int({
    default: 100_000,
    min: 16,
    description: 'Key contexts kept at most (1.2 KB each), the least recently used leave first',
  }),
  LEASE_MS: envVar.durationMs({
    default: 60_000,
    min: 100,
    max: LEASE_MAX_MS,
    description:
      'How long a hold lives without being extended; at least three times the edges’ POLICY_DEADLINE_MS',
  }),
  LEASE_GRACE_MS: envVar.durationMs({
    default: 1_000,
    description: 'How long after the end of its lease a hold is taken for abandoned',
  }),
  LEDGER_STREAM_MAX: envVar.int({
    default: 10_000,
    min: 1,
    description:
      'Ledger entries of one shard not yet in the catalog; beyond it requests are refused',
  }),
  RESPONSES_KEPT_MAX: envVar.int({
    default: 100_000,
    min: 1,
    description:
      'Responses of one organisation that can be continued (previous_response_id) within 30 days; beyond it the oldest are forgotten',
  }),
  UPSTREAM_BREAKER_WINDOW_MS: envVar.durationMs({
    default: 30_000,
    min: 1_000,
    description: 'Window in which failures of one model at its provider are counted for routing',
  }),
  UPSTREAM_BREAKER_FAILURES: envVar.int({
    default: 5,
    min: 1,
    description: 'Failures within the window before routing leaves the model out',
  }),
  UPSTREAM_BREAKER_PERCENT: envVar.int({
    default: 50,
    min: 1,
    max: 100,
    description: 'Part of the attempts within the window that must have failed as well',
  }),
  UPSTREAM_BREAKER_OPEN_MS: envVar.durationMs({
    default: 15_000,
    min: 100,
    description: 'How long the model is left out before one request may probe it',
  }),
  UPSTREAM_BREAKER_FORGET_MS: envVar.durationMs({
    default: 60_000,
    min: 100,
    description: 'How long after that it counts as healthy again when nobody has probed it',
  }),
  UPSTREAM_PROBE_MS: envVar.durationMs({
    default: 30_000,
    min: 100,
    description: 'How long a probe may take before another request may probe',
  }),
  UPSTREAM_COOLDOWN_MAX_MS: envVar.durationMs({
    default: 300_000,
    description: 'Longest pause that an upstream’s own retry-after can ask routing for',
  }),
  OPEN_GRACE_MS: envVar.durationMs({
    default: 2_000,
    description: 'How long a shard stays closed after Redis has lost data',
  }),
  DRAIN_INTERVAL_MS: envVar.durationMs({
    default: 100,
    min: 1,
    description:
      'Pause between two looks at a shard’s ledger stream; five times as long after few entries',
  }),
  SWEEP_INTERVAL_MS: envVar.durationMs({
    default: 1_000,
    min: 10,
    description: 'Pause between two looks for expired leases',
  }),
  CHECKPOINT_INTERVAL_MS: envVar.durationMs({
    default: 5_000,
    min: 100,
    description: 'Pause between two reports of long holds to the catalog',
  }),
  ITEM_DEADLINE_MS: envVar.durationMs({
    default: 450,
    min: 10,
    description: 'How long an item of a session may take; less than the edge waits for it',
  }),
  SESSION_WINDOW: envVar.int({
    default: 4_096,
    min: 1,
    description: 'Unanswered items of one session; those beyond it are failed at once',
  }),
  HOLD_TOKEN_SECRET: envVar.secret({
    default: '',
    description:
      'Signs hold tokens, the same for every policy; several, comma-separated, verify, the first signs. Empty: derived from INTERNAL_TOKEN and INTERNAL_TOKENS',
  }),
  SHUTDOWN_TIMEOUT_MS: envVar.durationMs({
    default: 20_000,
    description: 'How long a stop may take before the process ends itself',
  }),
} as const;

export type Config = ConfigOf<typeof configShape>;

/**
 * The first signs hold tokens, all of them verify. Without any it is derived from what every policy
 * knows: its own token, which no caller of policy has, and those that it accepts. On loopback there
 * may be neither, and nobody is kept from anything anyhow.
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
  return readConfig('policy', configShape, env);
}

/** What looking at the live store needs, and nothing else. */
export function loadStoreConfig(
  env: Env = process.env,
): Pick<Config, 'REDIS_URL' | 'REDIS_CLUSTER'> {
  const { REDIS_URL, REDIS_CLUSTER } = configShape;
  return readConfig('policy', { REDIS_URL, REDIS_CLUSTER }, env);
}
