import { randomUUID } from 'node:crypto';
import axios, { type AxiosResponse } from 'axios';

import type { Gateway } from './gateway';

// A separate organisation per test: a provider at the simulator, a model, and the test's own
// additions.

export interface Tenant {
  readonly id: string;
  readonly slug: string;
  readonly base: string;
  readonly providerId: string;
  readonly modelId: string;
  /** POST below the organisation; throws with the answer unless it is 201. */
  readonly create: (resource: string, body: object) => Promise<Created>;
  readonly model: (name: string, upstreamModel: string, over?: object) => Promise<string>;
  readonly key: (over?: object) => Promise<{ id: string; key: string }>;
}

export type Created = { readonly id: string } & Readonly<Record<string, unknown>>;

export const PRICES = { input: '2.50', cacheRead: '1.25', output: '10.00' } as const;

export function expectStatus(answer: AxiosResponse, status: number): AxiosResponse {
  if (answer.status === status) return answer;
  const { method, url } = answer.config;
  const words = JSON.stringify(answer.data);
  throw new Error(`${String(method)} ${String(url)}: ${String(answer.status)} ${words}`);
}

/** A time zone where it is about noon, so that no day or month ends during a test. */
export function zoneAtNoon(): string {
  const ahead = 12 - new Date().getUTCHours();
  // POSIX inverts the sign in these names: three hours ahead of UTC is Etc/GMT-3.
  return ahead === 0 ? 'Etc/GMT' : `Etc/GMT${ahead > 0 ? '-' : '+'}${String(Math.abs(ahead))}`;
}

/** Creates an organisation with one provider (the simulator) and one chat model named `chat`. */
export async function newTenant(
  gateway: Pick<Gateway, 'rest' | 'simulatorUrl'>,
  over: { organisation?: object; provider?: object; upstreamModel?: string } = {},
): Promise<Tenant> {
  const slug = `t-${randomUUID().slice(0, 13)}`;
  const organisation = expectStatus(
    await gateway.rest.post('/api/admin/organisations', {
      name: slug,
      slug,
      timeZone: zoneAtNoon(),
      ...over.organisation,
    }),
    201,
  ).data as Created;
  const base = `/api/organisations/${organisation.id}`;
  const create = async (resource: string, body: object): Promise<Created> =>
    expectStatus(await gateway.rest.post(`${base}/${resource}`, body), 201).data as Created;
  const provider = await create('providers', {
    name: 'simulator',
    type: 'PROVIDER_A',
    baseUrl: `${gateway.simulatorUrl}/v1`,
    apiKey: `sk-sim-${slug}`,
    ...over.provider,
  });
  const model = async (name: string, upstreamModel: string, more: object = {}): Promise<string> => {
    const made = await create('models', {
      name,
      providerId: provider.id,
      upstreamModel,
      type: 'chat',
      contextTokens: 128_000,
      defaultMaxOutputTokens: 1_000,
      prices: [{ steps: [{ fromInputTokens: 0, ...PRICES }] }],
      ...more,
    });
    return made.id;
  };
  const modelId = await model('chat', over.upstreamModel ?? 'sim');
  return {
    id: organisation.id,
    slug,
    base,
    providerId: provider.id,
    modelId,
    create,
    model,
    key: async (more = {}) => {
      const made = await create('apikeys', {
        name: 'test',
        type: 'ORGANISATION',
        modelIds: [modelId],
        ...more,
      });
      return { id: made.id, key: String(made['key']) };
    },
  };
}

/** A user of the tenant in a team, so that limits of every level can bind the user's key. */
export async function newMember(tenant: Tenant): Promise<{ teamId: string; userId: string }> {
  const team = await tenant.create('teams', { name: 'blue' });
  const user = await tenant.create('users', {
    email: `${randomUUID()}@example.com`,
    name: 'Ada',
    role: 'USER',
    password: 'correct horse battery staple',
  });
  await tenant.create(`teams/${team.id}/members`, { userId: user.id, role: 'MEMBER' });
  return { teamId: team.id, userId: user.id };
}

/** A chat call as an application sends it; returns every status. */
export function chat(
  url: string,
  key: string | undefined,
  body: object = {},
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<AxiosResponse> {
  return axios.post(
    `${url}/v1/chat/completions`,
    { model: 'chat', messages: [{ role: 'user', content: 'Hello there' }], ...body },
    {
      headers: { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...headers },
      validateStatus: () => true,
      timeout: 100_000,
      ...(signal === undefined ? {} : { signal }),
    },
  );
}

/** The record of an answered call. Once it exists, all counters include the call. */
export function recordOf(
  gateway: Pick<Gateway, 'rest'>,
  tenant: Tenant,
  requestId: string,
): Promise<object> {
  return eventually(`a record of ${requestId}`, async () => {
    const found = await gateway.rest.get(`${tenant.base}/usage/records/${requestId}`);
    return found.status === 404 ? undefined : (expectStatus(found, 200).data as object);
  });
}

/** The gateway's request id of a call, which its record has too. */
export function requestIdOf({ headers }: AxiosResponse): string {
  return String(headers['x-tollgate-request-id']);
}

/** Polls until `probe` returns a value, and fails with `what` at the deadline. */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined | false>,
  timeoutMs = 60_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > deadline) throw new Error(`not in ${String(timeoutMs)} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
