// A provider that echoes its own key in every place that reaches a client.

import type { ServerResponse } from 'node:http';

import { connection, PROVIDER_SECRET } from '../test-support/fake-catalog';
import { answerJson, completion, delta, openSse, role } from '../test-support/fake-upstream';
import { allow, candidate, chat, startHarness, type Harness } from '../test-support/harness';

const HEADER_SECRET = 'Bearer proxy-token-abcdefghij';

let h: Harness;
beforeAll(async () => {
  h = await startHarness();
});
beforeEach(async () => {
  await h.reset();
  h.catalog.connections.set(
    'provider-1:2',
    connection({
      baseUrl: h.upstream.url,
      version: 2,
      headers: { 'x-proxy-authorization': HEADER_SECRET },
    }),
  );
  h.policy.decide = () => allow([candidate({ connectionVersion: 2 })]);
});
afterAll(() => h.stop());

const FORMS = [
  PROVIDER_SECRET,
  encodeURIComponent(PROVIDER_SECRET),
  Buffer.from(PROVIDER_SECRET).toString('base64'),
  PROVIDER_SECRET.slice(0, 10),
  HEADER_SECRET,
  'proxy-token-abcdefghij',
];
const ECHO = FORMS.join(' | ');

function expectClean(text: string): void {
  expect(text).not.toContain(PROVIDER_SECRET.slice(0, 8));
  expect(text).not.toContain(Buffer.from(PROVIDER_SECRET).toString('base64').slice(0, 12));
  expect(text).not.toContain('proxy-token');
}

const failing = (status: number) => (res: ServerResponse) => {
  res.writeHead(status, { 'content-type': 'application/json', 'x-request-id': ECHO });
  const error = { message: `bad: ${ECHO}`, code: ECHO, type: ECHO, param: ECHO };
  res.end(JSON.stringify({ error }));
};

const PATHS: Record<string, object> = {
  '/v1/chat/completions': chat(),
  '/v1/llm/chat': chat(),
  '/v1/messages': chat({ max_tokens: 9 }),
  '/v1/responses': { model: 'house-model', input: 'Hi' },
  '/v1beta/models/house-model:generateContent': { contents: [{ parts: [{ text: 'Hi' }] }] },
  '/v1/embeddings': { model: 'house-model', input: 'Hi' },
};
const refusals = Object.keys(PATHS).flatMap((path) =>
  [400, 404, 401, 429, 500, 503, 504].map((status) => [path, status] as const),
);

test.each(refusals)('%s: a refusal with status %d contains no secret', async (path, status) => {
  h.upstream.script = failing(status);
  const response = await h.post(path, PATHS[path] ?? {});
  const text = await response.text();
  expectClean(text + JSON.stringify([...response.headers]));
  if (status >= 500) expect(text).not.toContain('bad:');
  if (status === 400) expect(text).toContain('bad: [redacted]');
  const settled = await h.settled();
  expectClean(JSON.stringify(settled.attempts));
  expectClean(h.log.join(''));
});

test.each(['invalid_request_error', 'rate_limit_error', 'server_error'])(
  'an error within a stream contains no secret: %s',
  async (type) => {
    h.upstream.script = (res) => {
      openSse(res);
      res.write(role() + delta('Hello'));
      res.end(`data: ${JSON.stringify({ error: { message: `bad: ${ECHO}`, type } })}\n\n`);
    };
    const text = await (await h.post('/v1/chat/completions', chat({ stream: true }))).text();
    expect(text).toContain('Hello');
    expect(text).toContain('"error"');
    expectClean(text);
    if (type === 'server_error') expect(text).not.toContain('bad:');
  },
);

test('a body that is not JSON contains no secret, and is cut to a readable length', async () => {
  h.upstream.script = (res) => {
    res.writeHead(400, { 'content-type': 'text/plain' });
    res.end(`${ECHO} ${'x'.repeat(50_000)}`);
  };
  const text = await (await h.post('/v1/chat/completions', chat())).text();
  expectClean(text);
  expect(text.length).toBeLessThan(3_000);
});

test('a key in an answer is removed', async () => {
  h.upstream.script = (res) => completion(res, { text: `It is ${PROVIDER_SECRET}.` });
  const text = await (await h.post('/v1/chat/completions', chat())).text();
  expect(text).toContain(`It is ${'*'.repeat(PROVIDER_SECRET.length)}.`);
});

test('a key in a translated answer, or in its type, is removed', async () => {
  h.upstream.script = (res) => completion(res, { text: `It is ${PROVIDER_SECRET}.` });
  const text = await (await h.post('/v1/messages', chat({ max_tokens: 9 }))).text();
  expect(text).toContain('It is ***');
  expectClean(text);
  await h.reset();
  h.policy.decide = () => allow([candidate({ connectionVersion: 2 })]);
  h.upstream.script = (res) => {
    res.writeHead(200, { 'content-type': `text/${PROVIDER_SECRET}` });
    res.end('x');
  };
  expectClean(await (await h.post('/v1/embeddings', PATHS['/v1/embeddings'])).text());
  await h.reset();
  h.policy.decide = () => allow([candidate({ connectionVersion: 2 })]);
  h.upstream.script = (res) => {
    res.writeHead(200, { 'content-type': `audio/mpeg; k=${PROVIDER_SECRET}` });
    res.end('x');
  };
  const speech = { model: 'house-model', input: 'Hi', voice: 'alloy' };
  const response = await h.post('/v1/audio/speech', speech);
  expect(response.status).toBe(200);
  expectClean(String(response.headers.get('content-type')));
});

test('an answer without a secret is passed on byte for byte', async () => {
  const body = { id: 'c', choices: [{ message: { content: 'é' } }], usage: null };
  h.upstream.script = (res) => answerJson(res, body);
  expect(await (await h.post('/v1/chat/completions', chat())).text()).toBe(JSON.stringify(body));
});
