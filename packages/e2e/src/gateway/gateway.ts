import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createStack,
  openState,
  startJsRedis,
  startRedis,
  type PostgresServer,
  type RedisServer,
  type RunningService,
  type Stack,
  type State,
} from '@tollgate/stack';
import axios, { type AxiosInstance } from 'axios';

import { startDatabase } from './database';
import { freePolicyPorts, local, policyAddresses, startEdges, startPolicies } from './fleet';

// A whole gateway of separate processes on real servers, for one test file.

export interface GatewayOptions {
  readonly edges?: number;
  readonly policies?: number;
  readonly admin?: boolean;
  readonly simulator?: boolean;
  /**
   * Keeps the services' own deadlines. The default is long deadlines: on a busy machine a slow
   * answer does not mean that a dependency is away.
   */
  readonly ownDeadlines?: boolean;
  /** Added to the environment of a service, by service name. */
  readonly env?: Readonly<Record<string, Record<string, string>>>;
  readonly appendOnly?: boolean;
}

export interface Account {
  readonly email: string;
  readonly password: string;
}

export interface Gateway {
  readonly state: State;
  readonly stack: Stack;
  readonly postgres: PostgresServer;
  readonly databaseUrl: string;
  readonly redis: RedisServer;
  readonly edges: readonly RunningService[];
  readonly policies: readonly RunningService[];
  readonly catalog: RunningService;
  readonly edgeUrl: (index?: number) => string;
  /** The edge's port for operators. */
  readonly opsUrl: (index?: number) => string;
  readonly catalogUrl: string;
  readonly adminUrl: string;
  readonly simulatorUrl: string;
  /** The account that exists from the start. */
  readonly superAdmin: Account;
  /** The catalog's REST interface as the first super admin; never throws for a status. */
  readonly rest: AxiosInstance;
  /** Everything that the services have logged so far. */
  readonly logs: () => Promise<string>;
  readonly stop: () => Promise<void>;
}

/** Deadlines for a busy machine, by service. Floats would not allow the longest of them. */
export const PATIENT: Readonly<Record<string, Record<string, string>>> = {
  policy: {
    FLOATS: 'off',
    REDIS_DEADLINE_MS: '10000',
    CATALOG_DEADLINE_MS: '10000',
    ITEM_DEADLINE_MS: '50000',
  },
  edge: { POLICY_DEADLINE_MS: '55000', POLICY_QUEUE_MS: '60000' },
};

/** Deciding from memory leaves no time for a longer deadline of an item. Any request may have a float. */
export const PATIENT_WITH_FLOATS = {
  ...PATIENT['policy'],
  FLOATS: 'on',
  FLOATS_FROM_RPS: '0',
  ITEM_DEADLINE_MS: '1250',
};

// All services are local, so a proxy from the environment is ignored.
axios.defaults.proxy = false;

/** Whether a real Redis is available; its absence is an error if the environment requires one. */
export function realRedis(): boolean {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
    return true;
  } catch (error) {
    if (process.env['REQUIRE_REAL'] === '1') throw error;
    return false;
  }
}

/** A client of the REST interface for one account. Returns every status instead of throwing. */
export async function signedIn(
  catalogUrl: string,
  email: string,
  password: string,
): Promise<AxiosInstance> {
  const answer = await axios.post(`${catalogUrl}/api/auth/login`, { email, password });
  const { accessToken } = answer.data as { accessToken: string };
  return axios.create({
    baseURL: catalogUrl,
    headers: { authorization: `Bearer ${accessToken}` },
    validateStatus: () => true,
    timeout: 30_000,
  });
}

export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const dir = await mkdtemp(join(tmpdir(), 'tollgate-e2e-'));
  const state = await openState(dir);
  const cleanup: (() => Promise<unknown>)[] = [() => rm(dir, { recursive: true, force: true })];
  const stop = (): Promise<void> => undo(cleanup);
  try {
    const { postgres, databaseUrl } = await startDatabase();
    cleanup.push(postgres.stop);
    const redis = await (realRedis()
      ? startRedis({ appendOnly: options.appendOnly ?? false })
      : startJsRedis());
    cleanup.push(redis.stop);
    return await startServices(options, state, postgres, databaseUrl, redis, cleanup, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Runs every cleanup step, the last one first, despite failures; then throws the first failure. */
export async function undo(steps: (() => Promise<unknown>)[]): Promise<void> {
  const complaints: unknown[] = [];
  for (const step of steps.splice(0).toReversed()) {
    await step().catch((error: unknown) => complaints.push(error));
  }
  if (complaints.length > 0) throw complaints[0];
}

async function startServices(
  options: GatewayOptions,
  state: State,
  postgres: PostgresServer,
  databaseUrl: string,
  redis: RedisServer,
  cleanup: (() => Promise<unknown>)[],
  stop: () => Promise<void>,
): Promise<Gateway> {
  const policyPorts = await freePolicyPorts(options.policies ?? 1);
  const ended: string[] = [];
  const stack = await createStack({
    state,
    databaseUrl,
    redisUrl: redis.url,
    policyAddresses: policyAddresses(policyPorts),
    onUnexpectedEnd: (name, tail) => ended.push(`${name}: ${tail}`),
  });
  cleanup.push(async () => {
    await stack.stop();
    if (ended.length > 0) throw new Error(`ended by themselves: ${ended.join('\n')}`);
  });
  const env = (service: string): Record<string, string> => {
    const own = options.env?.[service];
    if (options.ownDeadlines === true) return { ...own };
    return { ...(own?.['FLOATS'] === 'on' ? PATIENT_WITH_FLOATS : PATIENT[service]), ...own };
  };
  if (options.simulator !== false) await stack.start('simulator', { env: env('simulator') });
  const catalog = await stack.start('catalog', { env: env('catalog') });
  const policies = await startPolicies(stack, policyPorts, env('policy'));
  const edges = await startEdges(stack, options.edges ?? 1, env('edge'));
  const firstEdge = edges[0]?.layout.ports.edge ?? stack.layout.ports.edge;
  if (options.admin === true) {
    await stack.start('admin', { ports: { edge: firstEdge }, env: env('admin') });
  }
  const catalogUrl = local(stack.layout.ports.catalog);
  const superAdmin = {
    email: stack.layout.adminEmail,
    password: state.secrets.adminPassword,
  };
  return {
    state,
    stack,
    postgres,
    databaseUrl,
    redis,
    edges,
    policies,
    catalog,
    opsUrl: (index = 0) => local(edges[index]?.layout.ports.edgeOps ?? stack.layout.ports.edgeOps),
    edgeUrl: (index = 0) => local(edges[index]?.layout.ports.edge ?? firstEdge),
    catalogUrl,
    adminUrl: local(stack.layout.ports.admin),
    simulatorUrl: local(stack.layout.ports.simulator),
    superAdmin,
    rest: await signedIn(catalogUrl, superAdmin.email, superAdmin.password),
    logs: async () => {
      const names = await readdir(state.path('logs'));
      const texts = names.map((name) => readFile(state.path('logs', name), 'utf8'));
      return (await Promise.all(texts)).join('');
    },
    stop,
  };
}
