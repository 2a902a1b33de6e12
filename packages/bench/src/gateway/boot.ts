import { join } from 'node:path';
import {
  createStack,
  freePort,
  openState,
  startPostgres,
  startRedis,
  type RunningService,
} from '@tollgate/stack';
import { Pool } from 'pg';

import type { Undo } from '../undoing';
import { createRest, type Rest } from './rest';

export interface BootOptions {
  readonly dir: string;
  /** Added to the environment of every service. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** An existing catalog database, and an account that may create an organisation in it. */
  readonly database?:
    { readonly url: string; readonly email: string; readonly password: string } | undefined;
}

export interface Booted {
  readonly catalog: RunningService;
  readonly policy: RunningService;
  readonly edge: RunningService;
  readonly edgeUrl: string;
  /** The edge's port for operators. */
  readonly edgeOpsUrl: string;
  /** Policy's health and metrics. */
  readonly policyHttpUrl: string;
  /** Starts one more edge, with more settings than the others have. */
  readonly moreEdge: (as: string, env: Readonly<Record<string, string>>) => Promise<MoreEdge>;
  readonly catalogUrl: string;
  readonly redisPid: number;
  /** Undefined: an existing database. */
  readonly postgresPid: number | undefined;
  readonly rest: Rest;
  readonly pool: Pool;
  /** The log file of each service, by name. */
  readonly logs: Readonly<Record<string, string>>;
  /** Records booked so far. */
  readonly booked: () => Promise<number>;
}

export interface MoreEdge {
  readonly url: string;
  readonly pid: number;
}

/** Tollgate as deployed: one process of each service, with durable settings. */
export async function boot({ dir, env = {}, database }: BootOptions, undo: Undo): Promise<Booted> {
  const state = await openState(join(dir, 'tollgate'));
  const postgres = database === undefined ? await startPostgres({ detached: true }) : undefined;
  if (postgres !== undefined) undo.push(postgres.stop);
  const redis = await startRedis({ appendOnly: true, detached: true });
  undo.push(redis.stop);
  const databaseUrl = (await postgres?.createDatabase('tollgate')) ?? database?.url ?? '';
  const stack = await createStack({ state, databaseUrl, redisUrl: redis.url, logLevel: 'warn' });
  undo.push(stack.stop);
  const catalog = await stack.start('catalog', { env: { ...env } });
  const policy = await stack.start('policy', { env: { ...env } });
  const edge = await stack.start('edge', { env: { ...env } });
  const pool = new Pool({ connectionString: databaseUrl, max: 2 });
  undo.push(() => pool.end());
  const { ports, adminEmail } = stack.layout;
  const catalogUrl = `http://127.0.0.1:${String(ports.catalog)}`;
  const { email, password } = database ?? {
    email: adminEmail,
    password: state.secrets.adminPassword,
  };
  return {
    catalog,
    policy,
    edge,
    edgeUrl: `http://127.0.0.1:${String(ports.edge)}`,
    edgeOpsUrl: `http://127.0.0.1:${String(ports.edgeOps)}`,
    policyHttpUrl: `http://127.0.0.1:${String(ports.policyHttp)}`,
    moreEdge: async (as, own) => {
      const port = await freePort();
      const more = await stack.start('edge', {
        as,
        ports: { edge: port },
        env: { ...env, ...own },
      });
      return { url: `http://127.0.0.1:${String(port)}`, pid: more.process().pid };
    },
    catalogUrl,
    redisPid: redis.pid(),
    postgresPid: postgres?.pid(),
    rest: await createRest(catalogUrl, email, password),
    pool,
    logs: Object.fromEntries(
      ['edge', 'policy', 'catalog'].map((name) => [name, state.path('logs', `${name}.log`)]),
    ),
    booked: async () => {
      const { rows } = await pool.query<{ count: string }>('SELECT count(*) FROM usage_record');
      return Number(rows[0]?.count);
    },
  };
}
