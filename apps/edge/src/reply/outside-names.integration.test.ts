// Names from outside appear in the gateway's headers. None of them may break a paid answer.

import { completion } from '../test-support/fake-upstream';
import {
  allow,
  candidate,
  chat,
  errorOf,
  startHarness,
  type Harness,
} from '../test-support/harness';

let h: Harness;
beforeAll(async () => {
  h = await startHarness();
});
beforeEach(() => h.reset());
afterAll(() => h.stop());

const translated = candidate({ providerType: 'PROVIDER_B', upstreamFormat: 'anthropic' });
const message = {
  id: 'm',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'Hello' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 5, output_tokens: 2 },
};
const asTold = () => {
  h.policy.decide = () => allow([translated]);
  h.upstream.script = (res) => {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(JSON.stringify(message));
  };
};

test('a field name with a lone surrogate is dropped, and the answer is sent', async () => {
  asTold();
  const body = JSON.stringify(chat()).replace('{', '{"\\ud800":1,');
  const response = await h.post('/v1/chat/completions', body);
  expect(response.status).toBe(200);
  expect(response.headers.get('x-tollgate-dropped')).toBe('%EF%BF%BD');
  expect(await h.settled()).toMatchObject({ outcome: 'COMPLETED', httpStatus: 200 });
});

const many = Object.fromEntries(Array.from({ length: 4_000 }, (_, n) => [`unknown_${n}`, n]));

test('thousands of dropped fields are listed up to a bound', async () => {
  asTold();
  const response = await h.post('/v1/chat/completions', chat(many));
  expect(response.status).toBe(200);
  const dropped = response.headers.get('x-tollgate-dropped') ?? '';
  expect(dropped.length).toBeLessThan(2_100);
  expect(dropped).toMatch(/^unknown_0,unknown_1,.*,\.\.\.\+\d+ more$/);
});

test('a strict request lists some of them, and the number of the others', async () => {
  asTold();
  const strict = { 'x-tollgate-strict': 'true' };
  const fields = { ['x'.repeat(10_000)]: 1, ...many };
  const response = await h.post('/v1/chat/completions', chat(fields), strict);
  expect(response.status).toBe(400);
  const error = await errorOf(response);
  expect(error.param).toBe(`${'x'.repeat(128)}...`);
  expect(error.message.length).toBeLessThan(300);
  const { parameters, moreParameters } = error.details as Record<string, unknown>;
  expect(parameters).toHaveLength(32);
  expect(moreParameters).toBe(4_001 - 32);
});

test('names of models, providers and strategies may contain any text', async () => {
  const name = 'm\u0000\ud800\n\u20ac';
  const decision = allow([candidate({ modelName: name, providerLabel: name })]);
  h.policy.decide = () => ({ allow: { ...decision.allow, routing: { strategy: name } } });
  h.upstream.script = (res) => completion(res, {});
  const response = await h.post('/v1/chat/completions', chat());
  expect(response.status).toBe(200);
  expect(response.headers.get('x-tollgate-provider')).toBe('m%00%EF%BF%BD%0A%E2%82%AC');
});

test('a content type that is not a valid header value is passed on without its invalid characters', async () => {
  h.upstream.script = (res) => {
    res.socket?.end(
      Buffer.from(
        'HTTP/1.1 200 OK\r\ncontent-type: audio/mpeg; name="\u20ac\u4eba"\r\ncontent-length: 3\r\n\r\nabc',
      ),
    );
  };
  const body = { model: 'house-model', input: 'Hi', voice: 'alloy' };
  const response = await h.post('/v1/audio/speech', body);
  expect(response.status).toBe(200);
  expect(await response.text()).toBe('abc');
  expect(response.headers.get('content-type')).toContain('audio/mpeg');
});
