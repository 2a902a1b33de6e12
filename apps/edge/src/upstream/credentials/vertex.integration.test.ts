// Google Vertex AI: both publishers, with a service account. The simulator verifies the assertion and every token.

import { ORGANISATION, startClouds, type CloudHarness } from '../../test-support/clouds';
import { chat, errorOf, MODEL } from '../../test-support/harness';

let h: CloudHarness;
beforeAll(async () => {
  h = await startClouds();
});
beforeEach(() => h.reset());
afterAll(() => h.stop());

const LOCATION = '/v1/projects/my-project/locations/us-central1';
const tools = [{ name: 'get_weather', input_schema: { type: 'object' } }];
const message = (over: object = {}) => ({
  model: MODEL,
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Hello there' }],
  ...over,
});

function vertex(upstreamFormat: 'gemini' | 'anthropic', secret = h.serviceAccount()) {
  const baseUrl = h.simulator.url + LOCATION;
  return h.serve({ providerType: 'PROVIDER_G', upstreamFormat, baseUrl, secret });
}

async function received() {
  const list = (await (await fetch(`${h.simulator.url}/_sim/requests`)).json()) as {
    data: { path: string; headers: Record<string, string>; body: Record<string, unknown> }[];
  };
  return list.data.at(-1);
}

test.each(['gemini', 'anthropic'] as const)('%s answers whole and as a stream', async (format) => {
  vertex(format);
  const whole = await h.post('/v1/chat/completions', chat());
  expect(whole.status).toBe(200);
  expect(await whole.json()).toMatchObject({
    model: MODEL,
    choices: [{ message: { content: 'You said: Hi' } }],
  });
  const stream = await h.post('/v1/chat/completions', chat({ stream: true }));
  expect(await stream.text()).toMatch(/"You "[^]*data: \[DONE\]/);
  // One token served both.
  expect(await h.counts()).toMatchObject({ issued: { google: 1 }, accepted: 2, rejected: 0 });
});

test('the body of the messages format says the version, and the path the model', async () => {
  vertex('anthropic');
  const answer = await h.post('/v1/messages', message({ tools, stream: true }), {
    'anthropic-beta': 'context-1m-2025-08-07',
  });
  expect(await answer.text()).toContain('event: message_stop');
  const { body, headers, path } = (await received()) ?? {};
  expect(path).toBe(`${LOCATION}/publishers/anthropic/models/sim:streamRawPredict`);
  expect(body).toMatchObject({ anthropic_version: 'vertex-2023-10-16', stream: true });
  expect(body).not.toHaveProperty('model');
  expect(headers).toMatchObject({ 'anthropic-beta': 'context-1m-2025-08-07' });
  expect(headers?.['x-api-key']).toBeUndefined();
});

test('tools are called through both publishers', async () => {
  const functions = [{ type: 'function', function: { name: 'get_weather', parameters: {} } }];
  const asked = chat({
    tools: functions,
    messages: [{ role: 'user', content: 'get_weather please' }],
  });
  for (const format of ['gemini', 'anthropic'] as const) {
    vertex(format);
    expect(await (await h.post('/v1/chat/completions', asked)).json()).toMatchObject({
      choices: [{ message: { tool_calls: [{ function: { name: 'get_weather' } }] } }],
    });
  }
});

test('tokens of the messages format are counted there', async () => {
  vertex('anthropic');
  const counted = await h.post('/v1/messages/count_tokens', message({ max_tokens: undefined }));
  expect(await counted.json()).toEqual({ input_tokens: 9 });
  const { path } = (await received()) ?? {};
  expect(path).toBe(`${LOCATION}/publishers/anthropic/models/count-tokens:rawPredict`);
});

test('a hundred requests at once cause one request for a token', async () => {
  vertex('gemini');
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => h.post('/v1/chat/completions', chat())),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await h.counts()).toMatchObject({ issued: { google: 1 }, accepted: 100 });
});

test('connections with the same identity share its token', async () => {
  for (const format of ['gemini', 'anthropic', 'gemini'] as const) {
    vertex(format);
    expect((await h.post('/v1/chat/completions', chat())).status).toBe(200);
  }
  expect(await h.counts()).toMatchObject({ issued: { google: 1 }, accepted: 3 });
});

test('a token that ends early is replaced, and the client sees nothing of it', async () => {
  vertex('anthropic');
  expect((await h.post('/v1/messages', message())).status).toBe(200);
  await h.expire();
  expect((await h.post('/v1/messages', message())).status).toBe(200);
  expect(await h.counts()).toMatchObject({ issued: { google: 2 }, accepted: 2, rejected: 1 });
});

test('a refused identity is the failure of the provider, and its words are for the operator', async () => {
  vertex('gemini', h.serviceAccount({ client_email: 'nobody@my-project' }));
  const refused = await h.post('/v1/chat/completions', chat());
  expect(refused.status).toBe(502);
  const error = await errorOf(refused);
  expect(error).toMatchObject({ code: 'provider_auth_failed' });
  expect(error.message).not.toContain('Google');
  const { attempts } = await h.settled();
  expect(attempts).toMatchObject([
    {
      outcome: 'HTTP_400',
      message: expect.stringContaining(
        "Google's token endpoint answered with status 400 (invalid_grant)",
      ) as string,
    },
  ]);
});

test('another candidate answers when the token endpoint is away', async () => {
  const second = vertex('gemini');
  const first = vertex('gemini', h.serviceAccount({ token_uri: 'http://127.0.0.1:9/token' }));
  h.policy.decide = () => ({
    allow: { candidates: [first, second], limits: [] },
  });
  expect((await h.post('/v1/chat/completions', chat())).status).toBe(200);
  const { attempts } = await h.settled();
  expect(attempts?.map(({ outcome }) => outcome)).toEqual(['NETWORK', 'OK']);
});

test('the token is in no answer and no record, even if the provider repeats it', async () => {
  vertex('gemini');
  const [model] = [MODEL];
  const answer = await h.post('/v1/chat/completions', chat({ model }));
  expect(answer.status).toBe(200);
  const { headers } = (await received()) ?? {};
  const token = headers?.['authorization']?.replace('Bearer ', '') ?? '';
  expect(token).toMatch(/^sim-google-/);
  const echoed = await h.post(
    '/v1/chat/completions',
    chat({ messages: [{ role: 'user', content: `The token is ${token}` }] }),
  );
  expect(await echoed.text()).not.toContain(token);
  expect(h.log.join('\n')).not.toContain(token);
});

test('an organisation that the operator has not named does not get the own identity of the gateway', async () => {
  const over = {
    providerType: 'PROVIDER_G',
    upstreamFormat: 'gemini',
    secret: '{"type":"ambient"}',
  };
  const baseUrl = h.simulator.url + LOCATION;
  h.serve({ ...over, baseUrl, organisationId: ORGANISATION.replace('1', '2') });
  const refused = await h.post('/v1/chat/completions', chat());
  expect(await errorOf(refused)).toMatchObject({ code: 'provider_misconfigured' });
  // Nor does the token go to a host that the operator has not named.
  h.serve({ ...over, baseUrl: `http://127.0.0.1:9${LOCATION}` });
  const elsewhere = await h.post('/v1/chat/completions', chat());
  expect(await errorOf(elsewhere)).toMatchObject({ code: 'provider_misconfigured' });
  expect(await h.counts()).toMatchObject({ issued: {}, accepted: 0 });
});
