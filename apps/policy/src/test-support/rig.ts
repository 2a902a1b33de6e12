import {
  PolicyClient,
  type AuthorizeReply__Output,
  type AuthorizeRequest,
  type ExtendReply__Output,
  type ExtendRequest,
  type SettleReply__Output,
  type SettleRequest,
} from '@tollgate/contracts/node';
import {
  callUnary,
  createGrpcClient,
  createLogger,
  grpcChannel,
  type LogFields,
  type Logger,
} from '@tollgate/kit';
import { startRedis, startRedisCluster, type RedisServer } from '@tollgate/stack';

import { startPolicy, type Policy, type PolicyDeps } from '../app';
import { loadConfig, type Config } from '../config';
import { FLOAT_PARAMETERS } from '../floats';
import { startFakeCatalog, type FakeCatalog } from './fake-catalog';
import { openSession, type TestSession } from './session';

/** For tests that run with FLOATS both ways: `describe.each(FLOATS)`. */
export const FLOATS = [{ FLOATS: 'off' }, { FLOATS: 'on' }];

/** Something is lent from the first request on. */
const EAGER = { ...FLOAT_PARAMETERS, floatFrom: 1, shardFrom: 1, aheadMs: 3_000 };

/** A running policy on a real Redis, beside a catalog with books in memory. */
export interface Rig {
  readonly redis: RedisServer;
  readonly catalog: FakeCatalog;
  readonly policy: Policy;
  readonly client: PolicyClient;
  readonly log: string[];
  /** With FLOATS=on: `authorize`, `extend` and `settle` go over it. */
  readonly session: TestSession | undefined;
  readonly authorize: (request: AuthorizeRequest) => Promise<AuthorizeReply__Output>;
  readonly extend: (request: ExtendRequest) => Promise<ExtendReply__Output>;
  readonly settle: (request: SettleRequest) => Promise<SettleReply__Output>;
  /** Another policy on the same Redis and catalog. */
  readonly another: (
    env?: Record<string, string>,
  ) => Promise<{ policy: Policy; client: PolicyClient }>;
  readonly metric: (name: string) => Promise<string>;
  readonly stop: () => Promise<void>;
}

const CALL_MS = 15_000;

export async function startRig(
  env: Record<string, string> = {},
  inPlace: Pick<PolicyDeps, 'clock' | 'floatParameters' | 'scripts'> = {},
): Promise<Rig> {
  // Latest first; also what had started when something else could not.
  const undo: (() => unknown)[] = [];
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    return { ...(await startParts(env, inPlace, undo)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(
  env: Record<string, string>,
  inPlace: Pick<PolicyDeps, 'clock' | 'floatParameters' | 'scripts'>,
  undo: (() => unknown)[],
): Promise<Omit<Rig, 'stop'>> {
  const lines: string[] = [];
  const log = createLogger({
    service: 'policy',
    level: 'debug',
    write: (line) => lines.push(line),
  });
  const isCluster = env['REDIS_CLUSTER'] === 'true';
  const redis = await (isCluster ? startRedisCluster() : startRedis());
  undo.push(() => redis.stop());
  const catalog = await startFakeCatalog(log);
  undo.push(() => catalog.stop());
  // Edges of policies that decide from memory ask over sessions.
  const usesFloats = env['FLOATS'] === 'on';

  const another: Rig['another'] = async (more = {}) => {
    const config = testConfig({
      REDIS_URL: redis.url,
      CATALOG_GRPC_ADDRESS: catalog.address,
      ...(usesFloats ? { ITEM_DEADLINE_MS: '1250' } : {}),
      ...env,
      ...more,
    });
    const policy = await startPolicy(config, { log, floatParameters: EAGER, ...inPlace });
    const client = createGrpcClient(
      PolicyClient,
      grpcChannel({
        address: `127.0.0.1:${String(policy.grpcPort)}`,
        token: undefined,
        caller: 'edge',
      }),
    );
    undo.push(() => policy.stop());
    undo.push(() => client.close());
    return { policy, client };
  };

  const { policy, client } = await another();
  const session = usesFloats ? openSession(client) : undefined;
  undo.push(() => session?.end());
  return {
    redis,
    catalog,
    policy,
    client,
    log: lines,
    session,
    ...(session ?? unaryCalls(client)),
    another,
    metric: async (name) => {
      const response = await fetch(`http://127.0.0.1:${String(policy.httpPort)}/metrics`);
      const text = await response.text();
      return text
        .split('\n')
        .filter((line) => line.startsWith(name))
        .join('\n');
    },
  };
}

export function unaryCalls(client: PolicyClient): Pick<Rig, 'authorize' | 'extend' | 'settle'> {
  return {
    authorize: (request) => callUnary(client, 'authorize', request, { deadlineMs: CALL_MS }),
    extend: (request) => callUnary(client, 'extend', request, { deadlineMs: CALL_MS }),
    settle: (request) => callUnary(client, 'settle', request, { deadlineMs: CALL_MS }),
  };
}

// Deadlines are long, so that a slow machine does not fail a test; intervals are short, so that a
// fast one does not wait.
export function testConfig(env: Record<string, string>): Config {
  return loadConfig({
    POLICY_GRPC_PORT: '0',
    POLICY_HTTP_PORT: '0',
    REDIS_DEADLINE_MS: '5000',
    CATALOG_DEADLINE_MS: '5000',
    FLOATS: 'off',
    ITEM_DEADLINE_MS: '10000',
    DRAIN_INTERVAL_MS: '10',
    SWEEP_INTERVAL_MS: '50',
    CHECKPOINT_INTERVAL_MS: '100',
    OPEN_GRACE_MS: '300',
    LEASE_GRACE_MS: '0',
    ...env,
  });
}

/** Waits until the condition holds; fails with its last error otherwise. */
export async function eventually<T>(what: string, condition: () => T | Promise<T>): Promise<T> {
  const untilMs = Date.now() + 20_000;
  for (;;) {
    try {
      return await condition();
    } catch (error) {
      if (Date.now() > untilMs) throw new Error(`never: ${what}`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

export type { LogFields, Logger };
