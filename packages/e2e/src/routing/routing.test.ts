import axios from 'axios';

import {
  chat,
  eventually,
  expectStatus,
  newTenant,
  startGateway,
  type Gateway,
  type Tenant,
} from '..';

// A rotation is shared by all edges and policies, and each key has its own.

const EDGES = 4;
const CANDIDATES = ['one', 'two', 'three'];
const MODELS = CANDIDATES.toSorted();
/** The requests per key, in continuous integration. */
const REQUESTS = Number(process.env['ROUND_ROBIN_REQUESTS'] ?? 200);
const AT_ONCE = 16;

let gateway: Gateway;
let stop: () => Promise<void> = async () => undefined;
let tenant: Tenant;
let modelIds: string[];
let routingPolicyId: string;

beforeAll(async () => {
  gateway = await startGateway({ edges: EDGES, policies: 2 });
  stop = gateway.stop;
  tenant = await newTenant(gateway, { organisation: { routingEnabled: true } });
  modelIds = [];
  for (const name of CANDIDATES) modelIds.push(await tenant.model(name, 'sim-tokens-1'));
  const policy = await tenant.create('routing-policies', {
    name: 'in-turn',
    strategy: 'round_robin',
    candidates: modelIds.map((modelId) => ({ modelId })),
  });
  routingPolicyId = policy.id;
});
afterAll(async () => {
  await stop();
});

function ask(edge: number, key: string, model: string) {
  return axios.post(
    `${gateway.edgeUrl(edge)}/v1/llm/chat`,
    { model, messages: [{ role: 'user', content: 'Hello' }] },
    { headers: { authorization: `Bearer ${key}` }, validateStatus: () => true, timeout: 100_000 },
  );
}

/** The candidates that answered this number of concurrent requests, through every edge. */
async function answeredBy(key: string, count: number): Promise<string[]> {
  const answered: string[] = [];
  let sent = 0;
  const caller = async (): Promise<void> => {
    while (sent < count) {
      const n = sent;
      sent += 1;
      // The policy's own name and a candidate's name share one rotation.
      const model = n % 3 === 0 ? (CANDIDATES[n % CANDIDATES.length] ?? '') : 'in-turn';
      const answer = expectStatus(await ask(n % EDGES, key, model), 200);
      expect(answer.headers['x-tollgate-routing']).toBe('round_robin');
      expect(answer.headers['x-tollgate-attempt']).toBe('1');
      answered.push(String(answer.headers['x-tollgate-model']));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
  return answered;
}

test(`over ${EDGES} edges each candidate has as many of a key’s requests as any other, but for one`, async () => {
  const keys = await Promise.all([1, 2].map(() => tenant.key({ modelIds, routingPolicyId })));
  // The numbers of candidates do not divide them, so the rotations are not in step.
  const all = await Promise.all(keys.map(({ key }, n) => answeredBy(key, REQUESTS - n)));
  for (const [n, answered] of all.entries()) {
    const counts = CANDIDATES.map((name) => answered.filter((one) => one === name).length);
    expect(answered).toHaveLength(REQUESTS - n);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  }
});

describe('a routing policy is a model that a client may name', () => {
  const NAME = 'in-turn';

  /** The names on each family's list, for a key. */
  async function listed(key: string): Promise<Record<string, string[]>> {
    const get = async (path: string, headers: Record<string, string>): Promise<unknown> =>
      expectStatus(
        await axios.get(`${gateway.edgeUrl()}${path}`, { headers, validateStatus: () => true }),
        200,
      ).data as unknown;
    const openai = (await get('/v1/models', { authorization: `Bearer ${key}` })) as Listed;
    const anthropic = (await get('/v1/models', {
      'x-api-key': key,
      'anthropic-version': '2023-06-01',
    })) as Listed;
    const gemini = (await get('/v1beta/models', { 'x-goog-api-key': key })) as {
      models: { name: string }[];
    };
    return {
      openai: openai.data.map(({ id }) => id),
      anthropic: anthropic.data.map(({ id }) => id),
      gemini: gemini.models.map(({ name }) => name.replace('models/', '')),
    };
  }

  test("and is on every list whose family's routes support routing", async () => {
    const { key } = await tenant.key({ modelIds, routingPolicyId });
    const unlisted = await listed(key);
    for (const names of Object.values(unlisted)) expect(names.toSorted()).toEqual(MODELS);
    expectStatus(
      await gateway.rest.patch(`${tenant.base}/settings`, { routeCompatRequests: true }),
      200,
    );
    await eventually('the policy is listed', async () =>
      Object.values(await listed(key)).every((names) => names.includes(NAME)),
    );
    const one = await axios.get(`${gateway.edgeUrl()}/v1/models/${NAME}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(one.data).toMatchObject({ id: NAME, object: 'model', owned_by: 'provider_a' });
    // A client that lists it can call it, in the format of the list.
    const { data } = (await chat(gateway.edgeUrl(), key, { model: NAME })) as { data: object };
    expect(data).toMatchObject({ object: 'chat.completion' });
    const plain = await tenant.key({ modelIds });
    expect((await listed(plain.key))['openai']?.toSorted()).toEqual(MODELS);
  });
});

interface Listed {
  data: { id: string }[];
}
