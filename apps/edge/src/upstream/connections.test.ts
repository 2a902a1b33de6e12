import { parseKeyRing, type Connection__Output } from '@tollgate/contracts/node';
import { connection, KEY_RING, PROVIDER_SECRET } from '../test-support/fake-catalog';
import { createConnections, type ConnectionsDeps } from './connections';
import { ENDPOINTS, waysOf } from './endpoints';
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
    mayConnect: () => true,
    socketsPerConnection: 1,
    timeouts: { connectMs: 1, firstByteMs: 2, idleMs: 3, totalMs: 4 },
    nowMs: () => nowMs,
    ...over,
  });
  return { connections, asked, pass: (ms: number) => (nowMs += ms) };
}

test('material is asked for once, however many ask at the same time', async () => {
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

test('a version that was replaced is let go sooner than one in use', async () => {
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

test('a failure is not remembered', async () => {
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
  'material that says %j is refused',
  async (over) => {
    const { connections } = create({ fetch: async () => material(over) });
    await expect(connections.get('provider-1', 1)).rejects.toMatchObject({
      code: 'provider_misconfigured',
    });
  },
);

test('of several keys each is used by its weight', async () => {
  const [sealed] = material().secrets;
  const { connections } = create({
    fetch: async () => material({ secrets: [sealed, { ...sealed, weight: 3 }] }),
  });
  const known = await connections.get('provider-1', 1);
  const [endpoint] = ENDPOINTS;
  const ways = waysOf('PROVIDER_A', 'openai');
  if (!endpoint) throw new Error('no such row');
  const headers = (draw: number) =>
    buildCall({
      connection: { ...known, secrets: known.secrets.map((s, n) => ({ ...s, value: `key-${n}` })) },
      endpoint,
      ways,
      model: 'm',
      payload: { body: '{}', contentType: 'application/json', accept: '*/*', dropped: [] },
      stream: false,
      clientHeaders: {},
      responseLimitBytes: 1,
      draw,
    }).headers['authorization'];
  expect([0, 0.24, 0.26, 0.99].map(headers)).toEqual(
    ['key-0', 'key-0', 'key-1', 'key-1'].map((key) => `Bearer ${key}`),
  );
  await connections.close();
});
