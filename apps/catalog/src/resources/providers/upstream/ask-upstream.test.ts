import type { ProviderType, UpstreamFormat } from '@tollgate/contracts';
import { createAddressRules } from '@tollgate/contracts/node';

import { openAiList, startUpstream, type UpstreamServer } from '../test-support/upstream-server';
import { askUpstream, type AskLimits, type Upstream } from './ask-upstream';
import { connectFailure } from './failures';
import { discoveryWays, testWays } from './model-lists';
import { typeOf } from './model-types';

const SECRET = 'sk-secret-0123456789-abcdefgh';

let server: UpstreamServer;
beforeAll(async () => {
  server = await startUpstream();
});
afterAll(() => server.stop());

const limits: AskLimits = {
  addressRules: createAddressRules({ allowed: ['127.0.0.0/8'] }),
  timeoutMs: 60_000,
  maxPages: 5,
  maxModels: 100,
};

type Kind = readonly [ProviderType, UpstreamFormat];

function upstreamOf([type, upstreamFormat]: Kind, changes: Partial<Upstream> = {}): Upstream {
  return {
    type,
    upstreamFormat,
    baseUrl: server.url,
    apiVersion: null,
    headers: {},
    connectTimeoutMs: 60_000,
    secret: SECRET,
    ...changes,
  };
}

const OPENAI: Kind = ['PROVIDER_A', 'openai'];

function ask(kind: Kind, changes: Partial<Upstream> = {}, more: Partial<AskLimits> = {}) {
  return askUpstream(upstreamOf(kind, changes), testWays(...kind), { ...limits, ...more });
}

async function failureOf(kind: Kind, changes?: Partial<Upstream>, more?: Partial<AskLimits>) {
  const asked = await ask(kind, changes, more);
  if (asked.ok) throw new Error('it was not refused');
  return asked.failure;
}

describe('a list of models is read', () => {
  test('in the chat vendors’ form, below the base URL', async () => {
    server.serve(() => ({ body: openAiList('gpt-x', 'text-embedding-x') }));
    const asked = await ask(OPENAI, { baseUrl: `${server.url}/proxy/v1` });
    expect(asked).toMatchObject({
      ok: true,
      truncated: false,
      models: [
        { upstreamModel: 'gpt-x', type: 'chat', contextTokens: null },
        { upstreamModel: 'text-embedding-x', type: 'embeddings' },
      ],
    });
    expect(server.seen).toMatchObject([
      { path: '/proxy/v1/models', headers: { authorization: `Bearer ${SECRET}` } },
    ]);
  });

  test('of a self-hosted server, with the length it serves', async () => {
    server.serve(() => ({ body: { data: [{ id: 'org/model', max_model_len: 32_768 }] } }));
    expect(await ask(['PROVIDER_D', 'vllm'], { secret: null })).toMatchObject({
      models: [{ upstreamModel: 'org/model', contextTokens: 32_768 }],
    });
    expect(server.seen[0]?.headers['authorization']).toBeUndefined();
  });

  test('page by page where the messages format pages', async () => {
    server.serve(({ path }) =>
      path.includes('after_id=b')
        ? { body: { data: [{ id: 'c' }], has_more: false, last_id: 'c' } }
        : {
            body: {
              data: [{ id: 'a', display_name: 'A' }, { id: 'b' }],
              has_more: true,
              last_id: 'b',
            },
          },
    );
    const asked = await ask(['PROVIDER_B', 'anthropic']);
    expect(asked).toMatchObject({
      models: [
        { upstreamModel: 'a', displayName: 'A' },
        { upstreamModel: 'b' },
        { upstreamModel: 'c' },
      ],
    });
    expect(server.seen).toMatchObject([
      {
        path: '/v1/models?limit=1000',
        headers: { 'x-api-key': SECRET, 'anthropic-version': '2023-06-01' },
      },
      { path: '/v1/models?limit=1000&after_id=b' },
    ]);
  });

  test('page by page where the generate format pages, with limits and kinds', async () => {
    const embedder = { name: 'models/e', supportedGenerationMethods: ['embedContent'] };
    const speaker = {
      name: 'models/g',
      displayName: 'G',
      inputTokenLimit: 1_000_000,
      outputTokenLimit: 8_192,
      supportedGenerationMethods: ['generateContent', 'predict'],
    };
    server.serve(({ path }) =>
      path.includes('pageToken=next%2F1')
        ? { body: { models: [embedder] } }
        : { body: { models: [speaker], nextPageToken: 'next/1' } },
    );
    expect(await ask(['PROVIDER_C', 'gemini'])).toMatchObject({
      models: [
        { upstreamModel: 'g', type: 'chat', contextTokens: 1_000_000, maxOutputTokens: 8_192 },
        { upstreamModel: 'e', type: 'embeddings' },
      ],
    });
    expect(server.seen[0]).toMatchObject({
      path: '/v1beta/models?pageSize=1000',
      headers: { 'x-goog-api-key': SECRET },
    });
  });

  test('of a cloud resource: its deployments are what can be registered', async () => {
    server.serve(() => ({ body: { data: [{ id: 'my-chat', model: 'whisper' }] } }));
    const upstream = upstreamOf(['PROVIDER_F', 'openai'], { apiVersion: '2024-10-21' });
    expect(
      await askUpstream(upstream, discoveryWays('PROVIDER_F', 'openai'), limits),
    ).toMatchObject({
      models: [{ upstreamModel: 'my-chat', displayName: 'whisper', type: 'transcription' }],
    });
    expect(server.seen[0]?.path).toMatch(/^\/openai\/deployments\?api-version=/);
    server.serve(() => ({ body: openAiList('gpt-x') }));
    await askUpstream(upstream, testWays('PROVIDER_F', 'openai'), limits);
    expect(server.seen).toMatchObject([
      { path: '/openai/models?api-version=2024-10-21', headers: { 'api-key': SECRET } },
    ]);
  });

  test('to its bounds: pages, models, and a page that names itself', async () => {
    let page = 0;
    server.serve(() => {
      page += 1;
      return { body: { data: [{ id: `m${page}` }], has_more: true, last_id: `m${page}` } };
    });
    const endless = await ask(['PROVIDER_B', 'anthropic'], {}, { maxPages: 3 });
    expect(endless).toMatchObject({ ok: true, truncated: true });
    expect(server.seen).toHaveLength(3);
    server.serve(() => ({ body: { data: [{ id: 'a' }], has_more: true, last_id: 'a' } }));
    expect(await ask(['PROVIDER_B', 'anthropic'])).toMatchObject({ ok: true });
    expect(server.seen).toHaveLength(2);
    server.serve(() => ({ body: openAiList('a', 'b', 'c') }));
    expect(await ask(OPENAI, {}, { maxModels: 2 })).toMatchObject({
      truncated: true,
      models: [{ upstreamModel: 'a' }, { upstreamModel: 'b' }],
    });
  });
});

describe('a failure names what to correct', () => {
  const says = (message: string) => ({ error: { message } });

  test.each([
    [401, says('Incorrect API key'), 'key_refused', 'apiKey'],
    [403, says('no'), 'key_refused', 'apiKey'],
    // Without a cloud nobody but the key can lack a permission.
    [403, { error: { status: 'PERMISSION_DENIED', message: 'x' } }, 'key_refused', 'apiKey'],
    [
      403,
      { error: { code: 'unsupported_country_region_territory', message: 'x' } },
      'region_refused',
      'baseUrl',
    ],
    [400, says('API key not valid. [API_KEY_INVALID]'), 'key_refused', 'apiKey'],
    [302, '', 'redirected', 'baseUrl'],
    [404, '<html>', 'not_found', 'baseUrl'],
    [429, says('slow down'), 'rate_limited', null],
    [500, says('oops'), 'upstream_failed', null],
    [418, says('teapot'), 'rejected', 'baseUrl'],
    [200, '<html>hello</html>', 'not_understood', 'upstreamFormat'],
    [200, { models: [] }, 'not_understood', 'upstreamFormat'],
  ])('status %i %j: %s, %s', async (status, body, code, field) => {
    server.serve(() => ({ status, body, headers: { location: `${server.url}/elsewhere` } }));
    expect(await failureOf(OPENAI)).toMatchObject({ status, code, field });
    expect(server.seen).toHaveLength(1);
  });

  test('the date of the interface, where there is one', async () => {
    server.serve(() => ({ status: 404, body: says('Resource not found') }));
    const failure = await failureOf(['PROVIDER_F', 'openai'], { apiVersion: '1999-01-01' });
    expect(failure).toMatchObject({ code: 'not_found', field: 'apiVersion' });
    expect(failure.message).toContain('Resource not found');
  });

  test('a key that is missing', async () => {
    server.serve(() => ({ status: 401, body: says('no key') }));
    expect(await failureOf(OPENAI, { secret: null })).toMatchObject({ code: 'key_missing' });
  });

  test('nobody listens', async () => {
    const closed = await startUpstream();
    await closed.stop();
    expect(await failureOf(OPENAI, { baseUrl: closed.url })).toMatchObject({
      code: 'not_reachable',
      field: 'baseUrl',
      status: null,
    });
  });

  test('a name without an address, at any depth; a mistake of our own is none', () => {
    const cause = Object.assign(new Error('x'), { code: 'ENOTFOUND' });
    expect(connectFailure(new Error('y', { cause }))).toMatchObject({ code: 'name_not_found' });
    expect(() => connectFailure(new TypeError('bug'))).toThrow('bug');
  });

  test('a server that is not one for TLS', async () => {
    const baseUrl = server.url.replace('http:', 'https:');
    expect(await failureOf(OPENAI, { baseUrl })).toMatchObject({ code: 'tls_failed' });
  });

  test('silence', async () => {
    server.serve(() => () => undefined);
    expect(await failureOf(OPENAI, {}, { timeoutMs: 50 })).toMatchObject({ code: 'timed_out' });
  });

  test('an answer without end', async () => {
    const chunk = 'x'.repeat(1024 * 1024);
    server.serve(() => (response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(chunk)) continue;
      };
      response.on('drain', more);
      more();
    });
    expect(await failureOf(OPENAI)).toMatchObject({ code: 'too_large' });
  });

  test('an address that is not allowed, literal or behind a name; nothing is sent there', async () => {
    server.serve(() => ({ body: openAiList('a') }));
    const named = server.url.replace('127.0.0.1', 'localhost');
    for (const baseUrl of [server.url, named]) {
      const failure = await failureOf(
        OPENAI,
        { baseUrl },
        { addressRules: createAddressRules({ allowed: [] }) },
      );
      expect(failure).toMatchObject({ code: 'address_refused', field: 'baseUrl' });
    }
    expect(server.seen).toHaveLength(0);
  });

  test('a port that is denied, literal or behind a name, whose meaning is not told', async () => {
    server.serve(() => ({ body: openAiList('a') }));
    const { port } = new URL(server.url);
    const addressRules = createAddressRules({
      allowed: ['127.0.0.0/8', '::1/128'],
      denied: [port],
    });
    const literal = await failureOf(OPENAI, {}, { addressRules });
    const baseUrl = server.url.replace('127.0.0.1', 'localhost');
    const named = await failureOf(OPENAI, { baseUrl }, { addressRules });
    for (const failure of [literal, named]) {
      expect(failure).toMatchObject({ code: 'address_refused', field: 'baseUrl' });
      expect(failure.message).toContain('UPSTREAM_DENIED_PORTS');
    }
    expect(named.message).not.toContain('127.0.0.1');
    expect(server.seen).toHaveLength(0);
  });

  test.each([SECRET, `got "${SECRET.slice(5, 15)}…"`, `Bearer ${SECRET}`])(
    'and never a part of the key (%s)',
    async (message) => {
      server.serve(() => ({ status: 401, body: says(message) }));
      const failure = await failureOf(OPENAI);
      expect(failure.message).toBe('The upstream rejects the key.');
    },
  );
});

test.each([
  ['o3-mini', 'reasoning'],
  ['gpt-4o', 'chat'],
  ['gpt-4o-transcribe', 'transcription'],
  ['gpt-4o-mini-tts', 'tts'],
  ['gpt-4o-realtime-preview', 'audio'],
  ['omni-moderation-latest', 'moderation'],
  ['dall-e-3', 'image'],
  ['BAAI/bge-m3', 'embeddings'],
  ['llama-3.1-70b', 'chat'],
])('%s is most likely for %s', (name, type) => {
  expect(typeOf(name)).toBe(type);
});
