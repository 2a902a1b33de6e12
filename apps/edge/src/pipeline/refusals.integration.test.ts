import { connect } from 'node:net';
import { ERRORS, isErrorCode, vendorStatusOf } from '@tollgate/contracts';
import { hashApiKey } from '@tollgate/contracts/node';

import {
  chat,
  deny,
  errorOf,
  KEY,
  startHarness,
  until,
  type Harness,
} from '../test-support/harness';

let h: Harness;
beforeAll(async () => {
  h = await startHarness({ BODY_LIMIT_BYTES: 100_000, BODY_DEPTH_LIMIT: 16 });
});
beforeEach(() => h.reset());
afterAll(() => h.stop());

const ROUTES = ['/v1/chat/completions', '/v1/llm/chat'] as const;

describe.each(ROUTES)('%s', (path) => {
  test('401 without a key', async () => {
    const response = await fetch(h.edge.url + path, { method: 'POST', body: 'not even JSON' });
    expect(response.status).toBe(401);
    expect((await errorOf(response)).code).toBe('missing_api_key');
    expect(h.policy.authorized).toHaveLength(0);
  });

  test.each([
    'Basic dXNlcjpwYXNz',
    'tg_no-scheme',
    'Bearer two words',
    `Bearer ${'x'.repeat(300)}`,
  ])('401 for a key written as %p', async (authorization) => {
    const response = await h.post(path, chat(), { authorization });
    expect(response.status).toBe(401);
    expect((await errorOf(response)).code).toBe('invalid_api_key');
    expect(h.policy.authorized).toHaveLength(0);
  });

  test.each([
    ['{"model": "m", }', 'position 15'],
    ['{"model": "m"', 'position 13'],
    ['', 'empty'],
    ['[]', 'object'],
    ['"text"', 'object'],
  ])('400 for the body %p, with the place', async (body, where) => {
    const response = await h.post(path, body);
    expect(response.status).toBe(400);
    const error = await errorOf(response);
    expect(error.code).toBe('invalid_request');
    expect(error.message).toContain(where);
  });

  test('400 naming the invalid field', async () => {
    const response = await h.post(path, chat({ messages: [{ role: 'user', content: 7 }] }));
    expect(response.status).toBe(400);
    expect((await errorOf(response)).param).toContain('messages[0].content');
  });

  test('400 for a body that is nested too deep', async () => {
    const deep = `${'['.repeat(20)}${']'.repeat(20)}`;
    const response = await h.post(path, `{"model":"m","messages":[],"metadata":{"a":${deep}}}`);
    expect(response.status).toBe(400);
    expect((await errorOf(response)).message).toContain('16');
  });

  test('400 naming the limit for a body that is too large, declared or not', async () => {
    const large = chat({ user: 'x'.repeat(150_000) });
    const declared = await h.post(path, large);
    expect(declared.status).toBe(400);
    expect((await errorOf(declared)).message).toContain('100000 bytes');
    const chunked = await fetch(h.edge.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}` },
      body: new Blob([JSON.stringify(large)]).stream(),
      duplex: 'half',
    });
    expect(chunked.status).toBe(400);
    expect((await errorOf(chunked)).message).toContain('100000 bytes');
  });

  test.each(['gzip', 'compress', 'gzip, gzip'])(
    '400 for a body whose content-encoding is wrong: %s',
    async (encoding) => {
      const response = await h.post(path, chat(), { 'content-encoding': encoding });
      expect(response.status).toBe(400);
      expect((await errorOf(response)).param).toBe('content-encoding');
    },
  );
});

test('a missing key is answered before the body arrives', async () => {
  const socket = connect(h.edge.port, '127.0.0.1');
  socket.write(
    'POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{"mod',
  );
  const head = await new Promise<string>((resolve) => {
    socket.once('data', (bytes: Buffer) => resolve(bytes.toString()));
  });
  socket.destroy();
  expect(head).toContain('401 Unauthorized');
});

test('the order of refusals is key, body, policy’s decision', async () => {
  h.policy.decide = () => deny('budget_exceeded');
  const codes: string[] = [];
  const ask = async (authorization: string, body: unknown): Promise<void> => {
    const response = await h.post('/v1/chat/completions', body, { authorization });
    codes.push(`${response.status} ${(await errorOf(response)).code}`);
  };
  await ask('', '{');
  await ask(`Bearer ${KEY}`, '{');
  await ask(`Bearer ${KEY}`, { model: 'm' });
  expect(h.policy.authorized).toHaveLength(0);
  await ask(`Bearer ${KEY}`, chat());
  expect(h.policy.authorized).toHaveLength(1);
  expect(codes).toEqual([
    '401 missing_api_key',
    '400 invalid_request',
    '400 invalid_request',
    '402 budget_exceeded',
  ]);
});

describe('a refusal of policy', () => {
  const codes = [
    'invalid_api_key',
    'model_not_found',
    'provider_mismatch',
    'unsupported_model',
    'model_access_denied',
    'rate_limit_exceeded',
    'quota_exceeded',
    'budget_exceeded',
  ].filter(isErrorCode);

  test.each(codes)('%s keeps its status, and nothing is sent or settled', async (code) => {
    h.policy.decide = () => deny(code);
    const response = await h.post('/v1/chat/completions', chat());
    expect(response.status).toBe(vendorStatusOf(code));
    expect(response.headers.get('x-tollgate-error-code')).toBe(code);
    expect(await errorOf(response)).toMatchObject({ code, message: `refused: ${code}` });
    expect(response.headers.get('x-should-retry')).toBe(ERRORS[code].retryable ? null : 'false');
    expect(response.headers.get('x-request-id')).toBe(h.policy.authorized[0]?.requestId);
    expect(h.upstream.received).toHaveLength(0);
    expect(h.policy.settled).toHaveLength(0);
  });

  test('names the limit in its details, and has the remaining amounts in its headers', async () => {
    const details = { limit: { id: 'l1', kind: 'BUDGET' }, alsoExceeded: ['l2'] };
    const limits = [{ limitId: 'l1', kind: 'BUDGET', limit: '1000', settled: '1000', held: '0' }];
    h.policy.decide = () =>
      deny('budget_exceeded', { detailsJson: JSON.stringify(details), limits });
    const response = await h.post('/v1/chat/completions', chat());
    expect((await errorOf(response)).details).toEqual(details);
    expect(response.headers.get('x-tollgate-budget-remaining-usd')).toBe('0.00');
  });

  test('names the invalid field of the request', async () => {
    const details = { param: 'previous_response_id', reason: 'unknown_response' };
    h.policy.decide = () => deny('invalid_request', { detailsJson: JSON.stringify(details) });
    const error = await errorOf(await h.post('/v1/responses', { model: 'm', input: 'Hi' }));
    expect(error).toMatchObject({ param: 'previous_response_id', details });
  });

  test('announces only short waits', async () => {
    h.policy.decide = () => deny('rate_limit_exceeded', { retryAfterMs: 1_500 });
    const short = await h.post('/v1/chat/completions', chat());
    expect(short.headers.get('retry-after')).toBe('2');
    expect((await errorOf(short)).details).toBeUndefined();
    h.policy.decide = () => deny('rate_limit_exceeded', { retryAfterMs: 20_001 });
    const long = await h.post('/v1/chat/completions', chat());
    expect(long.headers.get('retry-after')).toBeNull();
    expect(long.headers.get('x-should-retry')).toBe('false');
    const error = await errorOf(long);
    expect(error.message).toContain('in 21 seconds');
    expect(error.details).toMatchObject({ retryAfterSeconds: 21 });
  });

  const question = { contents: [{ parts: [{ text: 'Hi' }] }] };
  test.each<[string, object, number, object]>([
    ['/v1/llm/chat', chat(), 400, { error: { code: 'model_not_found' } }],
    [
      '/v1/chat/completions',
      chat(),
      404,
      { error: { code: 'model_not_found', type: 'invalid_request_error' } },
    ],
    ['/v1/vllm/chat/completions', chat(), 404, { error: { code: 'model_not_found' } }],
    ['/v1/responses', { model: 'm', input: 'Hi' }, 404, { error: { code: 'model_not_found' } }],
    ['/v1/embeddings', { model: 'm', input: 'Hi' }, 404, { error: { code: 'model_not_found' } }],
    ['/v1/messages', chat({ max_tokens: 9 }), 404, { error: { type: 'not_found_error' } }],
    [
      '/v1beta/models/m:generateContent',
      question,
      404,
      { error: { code: 404, status: 'NOT_FOUND' } },
    ],
  ])('an unknown model on %s has its vendor’s status', async (path, body, status, expected) => {
    h.policy.decide = () => deny('model_not_found');
    const response = await h.post(path, body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject(expected);
    expect(response.headers.get('x-tollgate-error-code')).toBe('model_not_found');
  });

  test('with an unknown error code is an internal error', async () => {
    h.policy.decide = () => deny('no_such_code');
    expect((await h.post('/v1/chat/completions', chat())).status).toBe(500);
  });
});

test('policy learns of refusals by the edge, and not of its own or of those without a key', async () => {
  await fetch(`${h.edge.url}/v1/llm/chat`, { method: 'POST', body: '{}' });
  h.policy.decide = () => deny('model_access_denied');
  await h.post('/v1/llm/chat', chat());
  const wrong = await h.post('/v1/llm/chat', chat({ temperature: 'hot' }));
  await until(() => h.policy.refused.length > 0, 'the report');
  expect(h.policy.refused).toEqual([
    {
      keySha256: hashApiKey(KEY),
      requestId: wrong.headers.get('x-request-id'),
      code: 'invalid_request',
      param: 'temperature',
      shadowExperimentId: '',
      model: '',
    },
  ]);
});

test('policy gets the properties of the request, and never the key', async () => {
  await h.post('/v1/llm/chat', chat({ provider: 'provider_a', max_tokens: 9 }));
  const [request] = h.policy.authorized;
  expect(request).toMatchObject({
    model: 'house-model',
    operation: 'chat',
    providerPin: 'provider_a',
    allowedProviderTypes: [],
    maxOutputTokens: 9,
    choices: 1,
    stream: false,
    route: '/v1/llm/chat',
    family: 'unified',
  });
  expect(request?.keySha256).toHaveLength(32);
  expect(JSON.stringify(request)).not.toContain(KEY);
  await h.post('/v1/chat/completions', chat());
  expect(h.policy.authorized[1]).toMatchObject({
    allowedProviderTypes: ['PROVIDER_A', 'PROVIDER_F'],
    family: 'openai',
  });
});

test('an unknown route is 404 in the format of its family', async () => {
  const response = await h.post('/v1/nothing', chat());
  expect(response.status).toBe(404);
  expect((await errorOf(response)).code).toBe('route_not_found');
  expect((await h.get('/v1/chat/completions')).status).toBe(404);
  expect((await h.get('/v1/%zz')).status).toBeLessThan(500);
});

test('no secret is logged', async () => {
  await h.post('/v1/chat/completions', chat());
  await h.post('/v1/chat/completions', chat(), { authorization: 'Bearer tg_wrong key' });
  await h.settled();
  const log = h.log.join('\n');
  expect(log).toContain('"outcome":"COMPLETED"');
  expect(log).not.toContain(KEY);
  expect(log).not.toContain('sk-upstream-secret');
  expect(log).not.toContain('Hello there');
});
