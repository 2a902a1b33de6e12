import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';

import {
  chat,
  eventually,
  expectStatus,
  newTenant,
  recordOf,
  requestIdOf,
  sharedGateway,
  type SharedGateway,
  type Tenant,
} from '.';

// Aliases and ends of models, from the management interface to what the vendors' SDKs are told.

/** Longer than a decision takes. */
const DECIDED_WITHIN_MS = 250;

let gateway: SharedGateway;
let tenant: Tenant;
let key: string;
let newer: string;
beforeAll(async () => {
  gateway = await sharedGateway();
  tenant = await newTenant(gateway, { organisation: { openCompatRoutes: true } });
  newer = await tenant.model('newer', 'sim');
  key = (await tenant.key({ modelIds: [], modelGrants: [{ kind: 'ALL' }] })).key;
});

const messages = [{ role: 'user' as const, content: 'Say something' }];
const openai = () => new OpenAI({ baseURL: `${gateway.edgeUrl()}/v1`, apiKey: key, maxRetries: 0 });
const anthropic = () => new Anthropic({ baseURL: gateway.edgeUrl(), apiKey: key, maxRetries: 0 });
const google = () =>
  new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: gateway.edgeUrl(), fetch } });

const SUNSET = '2031-01-31T12:00:00.000Z';
const told = (headers: Headers) => ({
  deprecation: headers.get('deprecation'),
  sunset: headers.get('sunset'),
  link: headers.get('link'),
});

test('an alias changes at its instant: every record is of the model in force then', async () => {
  const at = Date.now() + 4_000;
  await tenant.create('model-aliases', {
    name: 'claude-moving',
    targets: [
      { modelId: tenant.modelId },
      { modelId: newer, effectiveFrom: new Date(at).toISOString() },
    ],
  });
  const ids: string[] = [];
  await eventually('the alias stands for the newer model', async () => {
    const answer = await chat(gateway.edgeUrl(), key, { model: 'claude-moving' });
    // Until the alias has reached policy.
    if (answer.status === 404) return false;
    expect(answer.status).toBe(200);
    expect(answer.data).toMatchObject({ model: 'claude-moving' });
    ids.push(requestIdOf(answer));
    return answer.headers['x-tollgate-model'] === 'newer';
  });
  for (const id of ids) {
    const record = (await recordOf(gateway, tenant, id)) as {
      authorisedAt: string;
      model: string;
      requestedModel: string | null;
    };
    expect(record.requestedModel).toBe('claude-moving');
    // It is decided a moment before it is authorised.
    const sinceMs = Date.parse(record.authorisedAt) - at;
    if (Math.abs(sinceMs) > DECIDED_WITHIN_MS)
      expect(record.model).toBe(sinceMs > 0 ? 'newer' : 'chat');
  }
});

describe('a name that comes to an end', () => {
  beforeAll(async () => {
    await tenant.create('model-aliases', {
      name: 'claude-ending',
      displayName: 'Ending',
      targets: [{ modelId: tenant.modelId }],
      retirement: {
        deprecatedAt: '2026-01-01T00:00:00Z',
        sunsetAt: SUNSET,
        replacementModelId: newer,
        url: 'https://example.com/ending',
      },
    });
    await eventually('the alias serves', async () => {
      const { status } = await chat(gateway.edgeUrl(), key, { model: 'claude-ending' });
      return status === 200;
    });
  });
  const dates = { deprecation: '@1767225600', sunset: 'Fri, 31 Jan 2031 12:00:00 GMT' };
  const page = '<https://example.com/ending>; rel="deprecation"; type="text/html"';
  const link = `${page}, </v1/models/newer>; rel="successor-version"`;

  test('the SDK of OpenAI reads the headers, of whole answers and of streams', async () => {
    const { completions } = openai().chat;
    const request = { model: 'claude-ending', messages };
    const { data, response } = await completions.create(request).withResponse();
    expect(data.model).toBe('claude-ending');
    expect(told(response.headers)).toEqual({ ...dates, link });
    const stream = await completions.create({ ...request, stream: true }).withResponse();
    expect(told(stream.response.headers)).toEqual({ ...dates, link });
    for await (const chunk of stream.data) expect(chunk.model).toBe('claude-ending');
  });

  test('the SDK of Anthropic reads them too, and lists the alias as deprecated', async () => {
    const client = anthropic();
    const request = { model: 'claude-ending', max_tokens: 50, messages };
    const { data, response } = await client.messages.create(request).withResponse();
    expect(data.model).toBe('claude-ending');
    expect(told(response.headers)).toEqual({ ...dates, link });
    expect(await client.models.retrieve('claude-ending')).toMatchObject({
      display_name: 'Ending',
      lifecycle: 'deprecated',
      deprecated_at: '2026-01-01T00:00:00.000Z',
      retires_at: SUNSET,
    });
  });

  test('the SDK of Google reads them too', async () => {
    const answer = await google().models.generateContent({
      model: 'claude-ending',
      contents: 'Say something',
    });
    expect(answer.modelVersion).toBe('claude-ending');
    expect(answer.sdkHttpResponse?.headers).toMatchObject(dates);
  });
});

test('from its sunset on a model is in no list, and is refused with what to use instead', async () => {
  const goneId = await tenant.model('gone', 'sim', {
    retirement: { sunsetAt: '2026-01-31T12:00:00Z', replacementModelId: newer },
  });
  const words =
    'The model "gone" was retired on 2026-01-31 and is no longer served. Use "newer" instead.';
  const refused = async (call: PromiseLike<unknown>) => {
    const error: unknown = await call.then(
      () => 'answered',
      (reason: unknown) => reason,
    );
    const { status, message } = error as { status?: number; message?: string };
    expect(status).toBe(404);
    expect(message).toContain(words.replaceAll('"', message?.includes('\\"') ? '\\"' : '"'));
  };
  await eventually('the model is known', async () => {
    const { data } = await chat(gateway.edgeUrl(), key, { model: 'gone' });
    return JSON.stringify(data).includes('retired on');
  });
  await refused(openai().chat.completions.create({ model: 'gone', messages }));
  await refused(anthropic().messages.create({ model: 'gone', max_tokens: 5, messages }));
  await refused(google().models.generateContent({ model: 'gone', contents: 'x' }));
  const { data } = await openai().models.list();
  expect(data.map(({ id }) => id)).not.toContain('gone');
  expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(['newer', 'claude-ending']));

  expectStatus(
    await gateway.rest.patch(`${tenant.base}/models/${goneId}`, {
      retirement: {
        sunsetAt: '2026-01-31T12:00:00Z',
        replacementModelId: newer,
        onSunset: 'REPLACE',
      },
    }),
    200,
  );
  const answer = await eventually('the replacement answers', async () => {
    const one = await chat(gateway.edgeUrl(), key, { model: 'gone' });
    return one.status === 200 && one;
  });
  expect(answer.headers).toMatchObject({
    'x-tollgate-model': 'newer',
    sunset: 'Sat, 31 Jan 2026 12:00:00 GMT',
  });
  expect(await recordOf(gateway, tenant, requestIdOf(answer))).toMatchObject({
    modelId: newer,
    requestedModel: 'gone',
  });
});
