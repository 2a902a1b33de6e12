import { join } from 'node:path';
import { createStack, openState, startPostgres, startRedis } from '@tollgate/stack';
import { Pool } from 'pg';

import type { Undo } from '../undoing';
import { createRest } from './rest';
import type { Target } from './target';
import { copyKey, grownKeys, makeTenant, type Grown } from './tenant';

/** Tollgate as deployed: edge, policy, Redis, catalog and PostgreSQL, with every limit. */

export interface Tollgate extends Target {
  /** Keys of the organisation, all with the same grants. */
  readonly keys: readonly string[];
  /** Takes this many unused keys; throws when there are too few. */
  readonly freshKeys: (count: number) => readonly string[];
  /** Keys of organisations with many of one thing; empty unless requested. */
  readonly grown: Readonly<Record<Grown, readonly string[]>>;
  /** A key whose own budget is spent. */
  readonly poorKey: string;
  readonly catalogUrl: string;
  /** The log file of each service, by name. */
  readonly logs: Readonly<Record<string, string>>;
  /** Records booked so far. */
  readonly booked: () => Promise<number>;
}

export interface TollgateOptions {
  readonly dir: string;
  readonly upstreamUrl: string;
  readonly keys: number;
  /** Unused keys for `freshKeys` (default 0). */
  readonly fresh?: number;
  /** What to create many of (default: nothing). */
  readonly grown?: readonly Grown[];
  /** Added to the environment of every service. */
  readonly env?: Readonly<Record<string, string>>;
  /** An existing catalog database, and an account that may create an organisation in it. */
  readonly database?: { readonly url: string; readonly email: string; readonly password: string };
}

export async function startTollgate(
  { dir, upstreamUrl, keys, fresh = 0, grown = [], env = {}, database }: TollgateOptions,
  undo: Undo,
): Promise<Tollgate> {
  const state = await openState(join(dir, 'tollgate'));
  // Measured with durable settings.
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

  const catalogUrl = `http://127.0.0.1:${String(stack.layout.ports.catalog)}`;
  const { email, password } = database ?? {
    email: stack.layout.adminEmail,
    password: state.secrets.adminPassword,
  };
  const rest = await createRest(catalogUrl, email, password);
  const made = await makeTenant(rest, upstreamUrl);
  const copies = await copyKey(pool, made.keyId, keys - 1);
  const unsent = await copyKey(pool, made.keyId, fresh);
  const keysGrown = await grownKeys(rest, upstreamUrl, grown);
  return {
    name: 'tollgate',
    url: `http://127.0.0.1:${String(stack.layout.ports.edge)}`,
    headers: { authorization: `Bearer ${made.key}` },
    pids: {
      edge: edge.process().pid,
      policy: policy.process().pid,
      redis: redis.pid(),
      catalog: catalog.process().pid,
      ...(postgres === undefined ? {} : { postgres: postgres.pid() }),
    },
    gateway: 'edge',
    translates: true,
    keys: [made.key, ...copies],
    freshKeys: (count) => {
      if (unsent.length < count) throw new RangeError(`${String(count)} fresh keys are too many`);
      return unsent.splice(0, count);
    },
    grown: keysGrown,
    poorKey: made.poorKey,
    catalogUrl,
    logs: Object.fromEntries(
      ['edge', 'policy', 'catalog'].map((name) => [name, state.path('logs', `${name}.log`)]),
    ),
    booked: async () => {
      const { rows } = await pool.query<{ count: string }>('SELECT count(*) FROM usage_record');
      return Number(rows[0]?.count);
    },
  };
}
