// Refusals by the gateway itself: the typed error of each vendor's SDK, the field that it names,
// and the number of retries.

import { chat, eventually } from '..';
import { CELLS, CLIENT_CELLS, modelOf, startMatrix, type Matrix } from './test-support/matrix';
import { createRecorder, expectedOf, type Settings, type Status } from './test-support/sdk';
import { SDKS } from './test-support/sdks';

let matrix: Matrix;

const BODY_LIMIT_BYTES = 100_000;

beforeAll(async () => {
  matrix = await startMatrix({
    openCompatRoutes: false,
    models: { chat: '' },
    gateway: { env: { edge: { BODY_LIMIT_BYTES: String(BODY_LIMIT_BYTES) } } },
  });
  await matrix.tenant.model('not-granted', 'sim');
});
afterAll(() => matrix?.gateway.stop());

/** A separate key with its own limit. */
async function limitedKey(resource: string, limit: object): Promise<string> {
  const { id, key } = await matrix.tenant.key({ modelIds: matrix.modelIds });
  await matrix.tenant.create(resource, { scope: { type: 'API_KEY', id }, ...limit });
  return key;
}

interface Kind {
  readonly status: Status;
  readonly code: string;
  readonly settings?: Partial<Settings>;
  readonly key?: () => Promise<string> | string;
  readonly parts?: readonly string[];
  /** A text that the message contains. */
  readonly names?: RegExp;
}

const DAILY = { period: 'DAILY', mode: 'HARD' };

const KINDS: Readonly<Record<string, Kind>> = {
  'a key that nobody has': { status: 401, code: 'invalid_api_key', key: () => 'tg_nobody' },
  'a budget with nothing left': {
    status: 402,
    code: 'budget_exceeded',
    key: () => limitedKey('budgets', { ...DAILY, limitUsd: '0.000000001' }),
  },
  'a model that is not granted': {
    status: 403,
    code: 'model_access_denied',
    settings: { model: 'not-granted' },
  },
  'a model that nobody made': {
    status: 404,
    code: 'model_not_found',
    settings: { model: 'unheard-of' },
  },
  'a field that is wrong': {
    status: 400,
    code: 'invalid_request',
    settings: { malformed: true },
    names: /temperature/,
  },
  'a body that is too large': {
    status: 400,
    code: 'invalid_request',
    parts: ['x'.repeat(BODY_LIMIT_BYTES)],
    names: /100000 bytes/,
  },
  'a quota with nothing left': {
    status: 429,
    code: 'quota_exceeded',
    key: () => limitedKey('quotas', { ...DAILY, metric: 'TOKENS', limit: 1 }),
  },
};

describe.each(Object.entries(KINDS))('%s', (_, kind) => {
  // One SDK retries after any 429 if its retries are enabled at all.
  const heedless = (name: string): boolean => kind.status === 429 && name.startsWith('genai');

  test.each(CLIENT_CELLS)('%s', async (_, { sdk, stream }) => {
    const key = (await kind.key?.()) ?? matrix.key;
    const settings = { model: 'openai-chat', stream, ...kind.settings };
    const talk = await matrix.talk(sdk, settings, { key, retries: heedless(sdk.name) ? 0 : 2 });
    const refusal = await talk.refusal(kind.parts);
    expect(refusal).toMatchObject(expectedOf(sdk, kind));
    expect(refusal.message).toMatch(kind.names ?? /\w/);
    if (kind.settings?.malformed) expect(refusal.param).toMatch(/temperature$/);

    expect(talk.attempts).toHaveLength(1);
    const [attempt] = talk.attempts;
    for (const name of ['x-request-id', 'request-id']) {
      expect(attempt?.headers.get(name)).toMatch(/^[0-9a-f-]{36}$/);
    }
    expect(attempt?.headers.get('retry-after')).toBeNull();
    expect(await talk.received()).toEqual([]);
  });
});

test.each(CLIENT_CELLS)('a rate limit has a wait: %s', async (_, { sdk, stream }) => {
  const key = await limitedKey('rate-limits', { requestsPerMinute: 1, mode: 'HARD' });
  const talk = await matrix.talk(sdk, { model: 'openai-chat', stream }, { key, retries: 0 });
  await talk.ask(['Hello there']);
  const expected = expectedOf(sdk, { status: 429, code: 'rate_limit_exceeded' });
  expect(await talk.refusal()).toMatchObject(expected);
  const headers = talk.attempts.at(-1)?.headers;
  // The rate has room again within a minute, and no SDK should sleep for that.
  const wait = headers?.get('retry-after');
  if (headers?.get('x-should-retry') === 'false') expect(wait).toBeNull();
  else expect(wait).toMatch(/^([1-9]|1\d|20)$/);
});

test.each(SDKS)('a route that does not exist: $name', async (sdk) => {
  const { fetch, attempts } = createRecorder();
  const client = sdk.open({ url: matrix.gateway.edgeUrl(), key: matrix.key, retries: 2, fetch });
  const failure: unknown = await client.unknownRoute().catch((error: unknown) => error);
  const expected = expectedOf(sdk, { status: 404, code: 'route_not_found' });
  expect(sdk.refusalOf(failure)).toMatchObject(expected);
  expect(attempts).toHaveLength(1);
});

describe('with the compatibility routes closed, as they are by default', () => {
  // The vendors whose models the OpenAI routes always serve.
  const own = new Set(['PROVIDER_A', 'PROVIDER_F']);

  test.each(CELLS)('%s', async (_, { sdk, upstream, stream }) => {
    const talk = await matrix.talk(sdk, { model: modelOf(upstream, 'chat'), stream });
    if (!sdk.format.startsWith('openai') || own.has(upstream.provider.type)) {
      expect((await talk.ask(['Hello'])).text).toBe('You said: Hello');
      return;
    }
    const expected = expectedOf(sdk, { status: 400, code: 'provider_mismatch' });
    expect(await talk.refusal()).toMatchObject(expected);
    expect(talk.attempts).toHaveLength(1);
    expect(await talk.received()).toEqual([]);
  });
});

// The last tests of the file, because policy stays away.
describe('with the policy service away', () => {
  beforeAll(async () => {
    await matrix.gateway.policies[0]?.process().stop('SIGKILL');
    await eventually('refused', async () => {
      const { status } = await chat(matrix.gateway.edgeUrl(), matrix.key, { model: 'openai-chat' });
      return status === 503;
    });
  });

  test.each(CLIENT_CELLS)('%s', async (_, { sdk, stream }) => {
    const talk = await matrix.talk(sdk, { model: 'openai-chat', stream }, { retries: 0 });
    const expected = expectedOf(sdk, { status: 503, code: 'dependency_unavailable' });
    expect(await talk.refusal()).toMatchObject(expected);
    expect(talk.attempts[0]?.headers.get('x-should-retry')).toBeNull();
    expect(await talk.received()).toEqual([]);
  });
});
