import { newApiKey } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';
import type { Pool } from 'pg';

import type { Rest } from './rest';

/** Measured organisations: one with every limit, and some that have many of one thing. */

const PRICES = { input: '2.50', cacheRead: '1.25', output: '10.00' };
/** Identifier of the organisation's MCP server. */
export const MCP_SERVER = 'bench';
const PLENTY_USD = '1000000';
/** How many of each thing, and how many management calls run concurrently. */
export const GROWN = { budgets: 1_000, models: 1_000, organisations: 100 } as const;
export type Grown = keyof typeof GROWN;
const AT_ONCE = 8;

interface Made {
  readonly key: string;
  readonly keyId: string;
  readonly poorKey: string;
  /** Path of the organisation. */
  readonly base: string;
  readonly providerId: string;
  readonly modelIds: readonly string[];
}

/** An organisation with models for every scenario; its limits are never reached. */
export async function makeTenant(rest: Rest, upstreamUrl: string): Promise<Made> {
  const { id } = await rest.create('/api/admin/organisations', {
    name: 'Bench',
    slug: `bench-${uuidv7()}`,
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
    modelIds.push(await newModel(rest, base, { name, providerId: provider.id, type }));
  }
  const server = await rest.create(`${base}/mcp-servers`, {
    identifier: MCP_SERVER,
    name: 'upstream',
    url: `${upstreamUrl}/mcp`,
    callPriceUsd: '0.001',
  });
  const mcpServerIds = [server.id];
  const newKey = (name: string): ReturnType<Rest['create']> =>
    rest.create(`${base}/apikeys`, { name, type: 'ORGANISATION', modelIds, mcpServerIds });
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
  const made = { key: String(key['key']), keyId: key.id, poorKey: String(poor['key']) };
  return { ...made, base, providerId: provider.id, modelIds };
}

/**
 * Copies a key with its grants directly in the table: a hundred thousand keys take hours by REST.
 */
export async function copyKey(pool: Pool, from: string, count: number): Promise<string[]> {
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

async function newModel(
  rest: Rest,
  base: string,
  { name, providerId, type }: { name: string; providerId: string; type: 'chat' | 'embeddings' },
): Promise<string> {
  const { id } = await rest.create(`${base}/models`, {
    name,
    providerId,
    upstreamModel: name,
    type,
    contextTokens: 128_000,
    ...(type === 'chat' ? { defaultMaxOutputTokens: 1_000 } : {}),
    prices: [{ steps: [{ fromInputTokens: 0, ...PRICES }] }],
  });
  return id;
}

/** Keys by the thing that their organisation has many of. */
export async function grownKeys(
  rest: Rest,
  upstreamUrl: string,
  wanted: readonly Grown[],
): Promise<Record<Grown, string[]>> {
  const keys: Record<Grown, string[]> = { budgets: [], models: [], organisations: [] };
  for (const thing of wanted) keys[thing] = await GROW[thing](rest, upstreamUrl);
  return keys;
}

const GROW: Record<Grown, (rest: Rest, upstreamUrl: string) => Promise<string[]>> = {
  /** One organisation with a budget for each of its keys. */
  budgets: async (rest, upstreamUrl) => {
    const { base, modelIds } = await makeTenant(rest, upstreamUrl);
    return times(GROWN.budgets, async (at) => {
      const name = `budget ${String(at)}`;
      const key = await rest.create(`${base}/apikeys`, { name, type: 'ORGANISATION', modelIds });
      await rest.create(`${base}/budgets`, {
        scope: { type: 'API_KEY', id: key.id },
        period: 'MONTHLY',
        limitUsd: PLENTY_USD,
      });
      return String(key['key']);
    });
  },
  /** One organisation with a key that may use each of its models (a key has at most a thousand). */
  models: async (rest, upstreamUrl) => {
    const { base, modelIds, providerId } = await makeTenant(rest, upstreamUrl);
    const more = await times(GROWN.models - modelIds.length, (at) =>
      newModel(rest, base, { name: `model-${String(at)}`, providerId, type: 'chat' }),
    );
    const key = await rest.create(`${base}/apikeys`, {
      name: 'all models',
      type: 'ORGANISATION',
      modelIds: [...modelIds, ...more],
    });
    return [String(key['key'])];
  },
  /** Whole organisations, each with its own models and limits. */
  organisations: (rest, upstreamUrl) =>
    times(GROWN.organisations, async () => (await makeTenant(rest, upstreamUrl)).key),
};

async function times<T>(count: number, make: (at: number) => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  for (let from = 0; from < count; from += AT_ONCE) {
    const length = Math.min(AT_ONCE, count - from);
    made.push(...(await Promise.all(Array.from({ length }, (_, at) => make(from + at)))));
  }
  return made;
}
