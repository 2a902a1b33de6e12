import { ApiError } from '@tollgate/contracts';

import { createPlan } from '../plan/plan';
import { ACME, doc, docs, documentsOf, fakeApi, ID, installationOf } from '../test-support/fakes';
import { applyPlan, type KeySink } from './apply';

const provider = (name: string) =>
  doc('Provider', name, { type: 'PROVIDER_A', baseUrl: 'https://api.example.com/v1' });
const model = (name: string, of: string) => doc('Model', name, { provider: of });

async function run(
  text: string,
  {
    given = [ACME],
    prune = false,
    answer,
    keys = { write: () => Promise.resolve() },
    env = {},
  }: {
    given?: Parameters<typeof installationOf>[0];
    prune?: boolean;
    answer?: Parameters<typeof fakeApi>[0];
    keys?: KeySink;
    env?: Readonly<Record<string, string>>;
  } = {},
) {
  const installation = installationOf(given);
  const plan = createPlan(documentsOf(text, env), installation, { prune, nowMs: 0 });
  const { api, sent } = fakeApi(answer);
  const told: string[] = [];
  const outcome = await applyPlan(plan, {
    api,
    installation,
    keys,
    tell: (line) => void told.push(line),
  });
  return { outcome, sent, told };
}

test('what was just created is named by its id', async () => {
  const { sent, outcome } = await run(docs(model('chat', 'openai'), provider('openai')));
  expect(sent.map(({ id }) => id)).toEqual(['createProvider', 'createModel']);
  expect(sent[1]).toMatchObject({
    params: { organisationId: ID(1) },
    body: { providerId: ID(101) },
  });
  expect(outcome).toEqual({ done: 2, failed: 0, skipped: 0 });
});

test('after a refusal only what needs the object is left out', async () => {
  const { told, outcome } = await run(
    docs(provider('a'), provider('b'), model('of-a', 'a'), model('of-b', 'b')),
    {
      answer: ({ id }, body) => {
        const { name } = body as { name: string };
        if (id !== 'createProvider' || name !== 'a') return undefined;
        throw new ApiError(422, 'validation_failed', 'A field is not valid.', [
          { path: 'baseUrl', message: 'is not allowed' },
        ]);
      },
    },
  );
  expect(told).toEqual([
    'FAILED Provider acme/a: A field is not valid.; baseUrl: is not allowed',
    'created Provider acme/b',
    'not tried Model acme/of-a: needs Provider acme/a',
    'created Model acme/of-b',
  ]);
  expect(outcome).toEqual({ done: 2, failed: 1, skipped: 1 });
});

test('nothing is deleted after a failure, and nothing is tried on an installation that is away', async () => {
  const owned = doc('Ownership', null, { kinds: ['RoutingPolicy'] });
  const old = { kind: 'RoutingPolicy', name: 'old', spec: {} };
  const refuse = (status: number) => () => {
    throw new ApiError(status, 'x', 'no');
  };
  const given = [ACME, old];
  const failing = await run(docs(provider('a'), owned), {
    given,
    prune: true,
    answer: refuse(409),
  });
  expect(failing.told[1]).toBe('not tried RoutingPolicy acme/old: a step before it failed');
  const away = await run(docs(provider('a'), provider('b')), { answer: refuse(0) });
  expect(away.sent).toHaveLength(1);
  expect(away.outcome).toEqual({ done: 0, failed: 1, skipped: 1 });
});

test('an object that somebody has changed since it was read is not overwritten', async () => {
  const present = {
    kind: 'Provider',
    name: 'a',
    spec: { type: 'PROVIDER_A', baseUrl: 'https://old.example.com' },
    row: { apiKeys: [] },
  };
  const quiet = await run(provider('a'), { given: [ACME, present] });
  expect(quiet.sent).toMatchObject([
    { id: 'updateProvider', ifMatch: '"tag"', body: { baseUrl: 'https://api.example.com/v1' } },
  ]);
  const busy = await run(provider('a'), {
    given: [ACME, present],
    answer: ({ method }) =>
      method === 'GET' ? { updatedAt: '2026-02-02T00:00:00.000Z' } : undefined,
  });
  expect(busy.sent).toEqual([]);
  expect(busy.told).toEqual([
    'FAILED Provider acme/a: has been changed since it was read; run the command again',
  ]);
});

test('an organisation is suspended after everything in it was made', async () => {
  const organisation = doc('Organisation', 'acme', { name: 'Acme', status: 'SUSPENDED' });
  const { sent } = await run(docs(organisation, provider('a')));
  expect(sent.map(({ id }) => id)).toEqual(['createProvider', 'suspendOrganisation']);
});

test('the secret of a new key goes to the sink before the next step, and a lost one is an error', async () => {
  const order: string[] = [];
  const text = docs(
    doc('ApiKey', 'app', { type: 'ORGANISATION' }),
    doc('Budget', null, {
      scope: { type: 'API_KEY', name: 'app' },
      period: 'DAILY',
      limitUsd: '1',
    }),
  );
  const answer: Parameters<typeof fakeApi>[0] = ({ id }) => {
    order.push(id);
    return id === 'createApiKey' ? { id: ID(7), key: 'tg_secret' } : undefined;
  };
  const { told } = await run(text, {
    answer,
    keys: { write: async ({ secret }) => void order.push(secret) },
  });
  expect(order).toEqual(['createApiKey', 'tg_secret', 'createBudget']);
  expect(told.join()).not.toContain('tg_secret');
  const broken = { write: () => Promise.reject(new Error('disk full')) };
  await expect(run(text, { answer, keys: broken })).rejects.toThrow('disk full');
});

const server = (over: object = {}) =>
  doc('McpServer', 'tools', {
    name: 'Tools',
    url: 'https://mcp.example.com/mcp',
    secret: { env: 'MCP_SECRET' },
    ...over,
  });
const TOOLS = {
  kind: 'McpServer',
  name: 'tools',
  spec: { name: 'Tools', url: 'https://mcp.example.com/mcp' },
  row: { secretPreview: 'mcp-…cdef' },
};

test('a secret goes with its object when it is new, is another one, or would go elsewhere', async () => {
  const env = { MCP_SECRET: 'mcp-secret-0123456789abcdef\n' };
  const secret = 'mcp-secret-0123456789abcdef';
  const created = await run(server(), { env });
  expect(created.sent).toMatchObject([{ id: 'createMcpServer', body: { secret } }]);
  const given = [ACME, TOOLS];
  expect((await run(server(), { env, given })).sent).toEqual([]);
  const other = await run(server(), { env: { MCP_SECRET: 'mcp-another-0123456789abcde' }, given });
  expect(other.sent.map(({ body }) => body)).toEqual([{ secret: 'mcp-another-0123456789abcde' }]);
  const url = 'https://elsewhere.example.com/mcp';
  const moved = await run(server({ url }), { env, given });
  expect(moved.sent.map(({ body }) => body)).toEqual([{ url, secret }]);
  const removed = await run(server({ secret: null }), { env, given });
  expect(removed.sent.map(({ body }) => body)).toEqual([{ secret: null }]);
});
