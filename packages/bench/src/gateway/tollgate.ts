import { join } from 'node:path';

import { newApiKey } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';
import { createStack, openState, startPostgres, startRedis } from '@tollgate/stack';
import { Pool } from 'pg';

import { createRest, type Rest } from './rest';
import type { Target } from './target';

/** Tollgate as it is deployed: edge, policy, Redis, catalog and PostgreSQL, every limit on. */

export interface Tollgate extends Target {
  /** Keys of the organisation, all with the same grants. */
  readonly keys: readonly string[];
  /** A key whose own budget is spent. */
  readonly poorKey: string;
  readonly catalogUrl: string;
  /** The file that each service logs to, by its name. */
  readonly logs: Readonly<Record<string, string>>;
  /** Records booked so far. */
  readonly booked: () => Promise<number>;
}

const PRICES = { input: '2.50', cacheRead: '1.25', output: '10.00' };
const PLENTY_USD = '1000000';

export interface TollgateOptions {
  readonly dir: string;
  readonly upstreamUrl: string;
  readonly keys: number;
  /** Added to the environment of every service. */
  readonly env?: Readonly<Record<string, string>>;
  /** A catalog's database that is there already, and who may make an organisation in it. */
  readonly database?: { readonly url: string; readonly email: string; readonly password: string };
}

export async function startTollgate(
  { dir, upstreamUrl, keys, env = {}, database }: TollgateOptions,
  undo: (() => Promise<unknown>)[],
): Promise<Tollgate> {
  const state = await openState(join(dir, 'tollgate'));
  // The figures are those of a database that keeps what it has been told.
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

interface Made {
  readonly key: string;
  readonly keyId: string;
  readonly poorKey: string;
}

/** An organisation with models for every scenario; limits on it and on its key that are never reached. */
async function makeTenant(rest: Rest, upstreamUrl: string): Promise<Made> {
  const { id } = await rest.create('/api/admin/organisations', {
    name: 'Bench',
    slug: `bench-${Date.now().toString(36)}`,
  });
  const base = `/api/organisations/${id}`;
  const provider = await rest.create(`${base}/providers`, {
    name: 'upstream',
    type: 'PROVIDER_A',
    baseUrl: `${upstreamUrl}/v1`,
    apiKey: 'sk-bench',
  });
  const modelIds: string[] = [];
  for (const [name, type] of [
    ['small', 'chat'],
    ['large', 'chat'],
    ['slow', 'chat'],
    ['embed', 'embeddings'],
  ] as const) {
    const model = await rest.create(`${base}/models`, {
      name,
      providerId: provider.id,
      upstreamModel: name,
      type,
      contextTokens: 128_000,
      ...(type === 'chat' ? { defaultMaxOutputTokens: 1_000 } : {}),
      prices: [{ steps: [{ fromInputTokens: 0, ...PRICES }] }],
    });
    modelIds.push(model.id);
  }
  const newKey = (name: string): ReturnType<Rest['create']> =>
    rest.create(`${base}/apikeys`, { name, type: 'ORGANISATION', modelIds });
  const key = await newKey('bench');
  const poor = await newKey('poor');
  const organisation = { type: 'ORGANISATION', id };
  const own = { type: 'API_KEY', id: key.id };
  await rest.create(`${base}/budgets`, {
    scope: organisation,
    period: 'MONTHLY',
    limitUsd: PLENTY_USD,
  });
  await rest.create(`${base}/budgets`, {
    scope: { type: 'API_KEY', id: poor.id },
    period: 'MONTHLY',
    limitUsd: '0',
  });
  await rest.create(`${base}/quotas`, {
    scope: own,
    metric: 'TOKENS',
    period: 'MONTHLY',
    limit: 1_000_000_000_000,
  });
  await rest.create(`${base}/rate-limits`, {
    scope: own,
    requestsPerMinute: 1_000_000_000,
    concurrentRequests: 1_000_000,
  });
  return { key: String(key['key']), keyId: key.id, poorKey: String(poor['key']) };
}

/** Further keys with the grants of one, straight into the table: by REST a hundred thousand take hours. */
async function copyKey(pool: Pool, from: string, count: number): Promise<string[]> {
  const keys: string[] = [];
  while (keys.length < count) {
    const batch = Array.from({ length: Math.min(5_000, count - keys.length) }, newApiKey);
    await pool.query(
      `WITH made AS (
         INSERT INTO api_key (id, organisation_id, name, type, key_sha256, preview)
         SELECT x.id, k.organisation_id, 'copy', k.type, x.sha, x.preview
         FROM api_key k, unnest($2::uuid[], $3::bytea[], $4::text[]) AS x(id, sha, preview)
         WHERE k.id = $1 RETURNING id, organisation_id)
       INSERT INTO api_key_model_access (api_key_id, model_id, organisation_id)
       SELECT made.id, a.model_id, made.organisation_id
       FROM made, api_key_model_access a WHERE a.api_key_id = $1`,
      [
        from,
        batch.map(() => uuidv7()),
        batch.map(({ sha256 }) => sha256),
        batch.map(({ preview }) => preview),
      ],
    );
    keys.push(...batch.map(({ key }) => key));
  }
  return keys;
}
