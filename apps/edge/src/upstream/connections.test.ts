import { parseKeyRing, type Connection__Output } from '@tollgate/contracts/node';

import { AGENTS } from '../test-support/agents';
import { connection, KEY_RING, PROVIDER_SECRET } from '../test-support/fake-catalog';
import { createAgents } from './agents';
import { createConnections, type ConnectionsDeps } from './connections';
import { ENDPOINTS, providerRulesOf } from './endpoints';
import { buildCall } from './request';

const material = (over: object = {}) =>
  ({
    apiVersion: '',
    headers: {},
    timeoutMs: 0,
    connectTimeoutMs: 0,
    firstByteTimeoutMs: 0,
    idleTimeoutMs: 0,
    providerName: 'p',
    ...connection({ baseUrl: 'http://127.0.0.1:9/v1' }),
    ...over,
  }) as Connection__Output;

function create(over: Partial<ConnectionsDeps> = {}) {
  const asked: string[] = [];
  let nowMs = 0;
  const connections = createConnections({
    fetch: async (providerId, version) => {
      asked.push(`${providerId}:${version}`);
      return material({ version });
    },
    keyRing: parseKeyRing(KEY_RING),
    identities: { open: () => undefined },
    agents: createAgents(AGENTS),
    timeouts: { connectMs: 1, firstByteMs: 2, idleMs: 3, totalMs: 4 },
    nowMs: () => nowMs,
    ...over,
  });
  return { connections, asked, pass: (ms: number) => (nowMs += ms) };
}

test('concurrent callers share one request for material', async () => {
  const { connections, asked } = create();
  await Promise.all([connections.get('provider-1', 1), connections.get('provider-1', 1)]);
  const known = connections.get('provider-1', 1);
  expect(known).not.toBeInstanceOf(Promise);
  expect(asked).toEqual(['provider-1:1']);
  expect(await known).toMatchObject({
    secrets: [{ value: PROVIDER_SECRET }],
    timeouts: { connectMs: 1, firstByteMs: 2, idleMs: 3, totalMs: 4 },
  });
  await connections.close();
});

test('a replaced version is evicted sooner than one in use', async () => {
  const { connections, asked, pass } = create();
  await connections.get('provider-1', 1);
  await connections.get('provider-1', 2);
  pass(120_000);
  connections.sweep();
  await connections.get('provider-1', 2);
  await connections.get('provider-1', 1);
  expect(asked).toEqual(['provider-1:1', 'provider-1:2', 'provider-1:1']);
  pass(4_000_000);
  connections.sweep();
  await connections.get('provider-1', 2);
  expect(asked).toHaveLength(4);
  await connections.close();
});

test('a failure is not cached', async () => {
  let away = true;
  const { connections } = create({
    fetch: async () => {
      if (away) throw new Error('away');
      return material();
    },
  });
  await expect(connections.get('provider-1', 1)).rejects.toMatchObject({ status: 503 });
  away = false;
  expect(await connections.get('provider-1', 1)).toMatchObject({ version: 1 });
  await connections.close();
});

test.each([{ baseUrl: 'nowhere' }, { upstreamFormat: 'other' }, { providerType: 'OTHER' }])(
  'material with %j is refused',
  async (over) => {
    const { connections } = create({ fetch: async () => material(over) });
    await expect(connections.get('provider-1', 1)).rejects.toMatchObject({
      code: 'provider_misconfigured',
    });
  },
);

test('a call carries its key in the header of the provider’s interface', async () => {
  const [sealed] = material().secrets;
  const { connections } = create({
    fetch: async () => material({ secrets: [sealed, { ...sealed, weight: 0 }] }),
  });
  const known = await connections.get('provider-1', 1);
  expect(known.secrets.map(({ weight }) => weight)).toEqual([1, 1]);
  const [endpoint] = ENDPOINTS;
  if (!endpoint) throw new Error('no such row');
  const secrets = known.secrets.map((secret, n) => ({ ...secret, value: `key-${n}` }));
  const call = (keyIndex: number) =>
    buildCall({
      connection: { ...known, secrets },
      endpoint,
      providerRules: providerRulesOf('PROVIDER_A', 'openai'),
      model: 'm',
      payload: { body: '{}', contentType: 'application/json', accept: '*/*', dropped: [] },
      stream: false,
      forwarded: {},
      responseLimitBytes: 1,
      keyIndex,
    });
  expect([0, 1].map((index) => call(index).headers['authorization'])).toEqual([
    'Bearer key-0',
    'Bearer key-1',
  ]);
  await connections.close();
});
