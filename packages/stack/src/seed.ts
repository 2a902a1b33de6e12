import axios, { type AxiosInstance } from 'axios';
import { z } from 'zod';

// Creates the demo organisation through the public REST interface.

export interface Demo {
  readonly edgeUrl: string;
  readonly catalogUrl: string;
  readonly adminUrl: string;
  readonly simulatorUrl: string;
  readonly organisationId: string;
  readonly apiKey: string;
  readonly admin: { readonly email: string; readonly password: string };
}

export const demoSchema = z.object({
  edgeUrl: z.string(),
  catalogUrl: z.string(),
  adminUrl: z.string(),
  simulatorUrl: z.string(),
  organisationId: z.string(),
  apiKey: z.string(),
  admin: z.object({ email: z.string(), password: z.string() }),
});

const created = z.object({ id: z.string() });
const createdKey = z.object({ id: z.string(), key: z.string() });
const session = z.object({ accessToken: z.string() });

/** A provider of the demo organisation with its models, prices in USD per million tokens. */
export interface SeedProvider {
  readonly name: string;
  readonly type: 'PROVIDER_A' | 'PROVIDER_B' | 'PROVIDER_C' | 'PROVIDER_D';
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly models: readonly {
    readonly name: string;
    readonly upstreamModel: string;
    readonly input: string;
    readonly cacheRead: string;
    /** For vendors that charge more for cache writes than for plain input. */
    readonly cacheWrite5m?: string;
    readonly cacheWrite1h?: string;
    readonly output: string;
  }[];
}

/** A signed-in client of the catalog's REST interface. Its errors contain the server's message. */
export async function signIn(
  catalogUrl: string,
  email: string,
  password: string,
): Promise<AxiosInstance> {
  const anonymous = axios.create({ baseURL: catalogUrl, timeout: 30_000 });
  const answer = await anonymous.post('/api/auth/login', { email, password });
  const { accessToken } = session.parse(answer.data);
  const client = axios.create({
    baseURL: catalogUrl,
    timeout: 30_000,
    headers: { authorization: `Bearer ${accessToken}` },
  });
  client.interceptors.response.use(undefined, (error: unknown) => {
    if (!axios.isAxiosError(error) || error.response === undefined) throw error;
    const { method, url } = error.config ?? {};
    const words = JSON.stringify(error.response.data);
    throw new Error(`${String(method)} ${String(url)}: ${String(error.response.status)} ${words}`, {
      cause: error,
    });
  });
  return client;
}

type Body = Record<string, unknown>;
const page = z.object({
  data: z.array(z.looseObject({ id: z.string() })),
  nextCursor: z.string().nullable(),
});

/** The first object that `same` accepts, on any page; undefined without one. */
async function find(
  client: AxiosInstance,
  list: string,
  same: (row: Body) => boolean,
): Promise<string | undefined> {
  let cursor: string | null = null;
  do {
    const params: Body = cursor === null ? { limit: 200 } : { limit: 200, cursor };
    const { data, nextCursor }: z.output<typeof page> = page.parse(
      (await client.get(list, { params })).data,
    );
    const row = data.find(same);
    if (row !== undefined) return row.id;
    cursor = nextCursor;
  } while (cursor !== null);
  return undefined;
}

// An earlier start may have been killed midway: existing objects are reused.
async function ensure(
  client: AxiosInstance,
  list: string,
  same: (row: Body) => boolean,
  body: Body,
): Promise<string> {
  const present = await find(client, list, same);
  return present ?? created.parse((await client.post(list, body)).data).id;
}

const named =
  (name: string) =>
  (row: Body): boolean =>
    row['name'] === name;

async function addProvider(
  client: AxiosInstance,
  base: string,
  provider: SeedProvider,
): Promise<string[]> {
  const { name, type, baseUrl, apiKey } = provider;
  const body = { name, type, baseUrl, apiKey };
  const providerId = await ensure(client, `${base}/providers`, named(name), body);
  const ids: string[] = [];
  for (const model of provider.models) {
    const { name: _, upstreamModel, ...step } = model;
    const modelBody = {
      name: model.name,
      providerId,
      upstreamModel,
      type: 'chat',
      contextTokens: 128_000,
      defaultMaxOutputTokens: 4_096,
      prices: [{ steps: [{ fromInputTokens: 0, ...step }] }],
    };
    ids.push(await ensure(client, `${base}/models`, named(model.name), modelBody));
  }
  return ids;
}

/** An MCP server of the demo organisation, prices in USD per call. */
export interface SeedMcpServer {
  readonly identifier: string;
  readonly name: string;
  readonly transport: 'STREAMABLE_HTTP' | 'STDIO';
  /** Of STREAMABLE_HTTP. */
  readonly url?: string;
  /** Of STDIO: the name of a command in the runner's file. */
  readonly command?: string;
  readonly callPriceUsd: string;
  readonly toolPricesUsd: Readonly<Record<string, string>>;
}

export interface SeedInput {
  readonly catalogUrl: string;
  readonly admin: { readonly email: string; readonly password: string };
  readonly providers: readonly SeedProvider[];
  readonly mcpServers: readonly SeedMcpServer[];
}

/**
 * Creates the organisation `demo` with its providers, models, MCP servers, a budget, a rate limit and
 * a new key for all of them.
 */
export async function seedDemo(
  input: SeedInput,
): Promise<{ organisationId: string; apiKey: string }> {
  const client = await signIn(input.catalogUrl, input.admin.email, input.admin.password);
  const organisationId = await ensure(
    client,
    '/api/admin/organisations',
    (row) => row['slug'] === 'demo',
    { name: 'Demo', slug: 'demo', timeZone: 'UTC' },
  );
  const base = `/api/organisations/${organisationId}`;
  const modelIds: string[] = [];
  for (const provider of input.providers) {
    modelIds.push(...(await addProvider(client, base, provider)));
  }
  const scope = { type: 'ORGANISATION', id: organisationId };
  const any = (): boolean => true;
  const budget = { scope, period: 'MONTHLY', limitUsd: '25.00', mode: 'HARD' };
  await ensure(client, `${base}/budgets`, any, budget);
  await ensure(client, `${base}/rate-limits`, any, { scope, requestsPerMinute: 600 });
  const mcpServerIds: string[] = [];
  for (const server of input.mcpServers) {
    const same = (row: Body): boolean => row['identifier'] === server.identifier;
    mcpServerIds.push(await ensure(client, `${base}/mcp-servers`, same, { ...server }));
  }
  const keyBody = { name: 'demo', type: 'ORGANISATION', modelIds, mcpServerIds };
  const key = createdKey.parse((await client.post(`${base}/apikeys`, keyBody)).data);
  return { organisationId, apiKey: key.key };
}
