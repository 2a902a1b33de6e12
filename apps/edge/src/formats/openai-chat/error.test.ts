import { gatewayError } from '@tollgate/contracts';

import { decodeError, encodeComment, encodeError, encodeStreamError, streamedError } from './error';

const context = { requestId: 'req-1' };
const body = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

test('an error has all four fields, the request id, and its details', () => {
  const error = gatewayError('budget_exceeded', 'Too dear.', { details: { limit: { id: 'l' } } });
  expect(encodeError(error, context)).toEqual({
    status: 402,
    headers: {
      'x-request-id': 'req-1',
      'request-id': 'req-1',
      'x-should-retry': 'false',
      'x-tollgate-error-code': 'budget_exceeded',
    },
    body: {
      error: {
        message: 'Too dear.',
        type: 'billing_error',
        param: null,
        code: 'budget_exceeded',
        details: { limit: { id: 'l' } },
      },
    },
  });
});

test.each([
  [1_500, { 'retry-after': '2' }],
  [20_000, { 'retry-after': '20' }],
  [20_001, { 'x-should-retry': 'false' }],
  [0, {}],
])('a wait of %i ms becomes the headers %j', (retryAfterMs, headers) => {
  const error = gatewayError('rate_limit_exceeded', undefined, { retryAfterMs });
  expect(encodeError(error, context).headers).toEqual({
    'x-request-id': 'req-1',
    'request-id': 'req-1',
    'x-tollgate-error-code': 'rate_limit_exceeded',
    ...headers,
  });
});

test.each([
  [{ message: 'Too much.', code: 'context_length_exceeded' }, true],
  [{ message: 'No.', type: 'exceed_context_size_error', code: 400 }, true],
  [{ message: 'The request exceeds the available context size (4096 tokens).' }, true],
  [{ message: "The input (9 tokens) is longer than the model's context length (8 tokens)." }, true],
  [{ message: "This model's maximum prompt length is 8 but the request contains 9 tokens." }, true],
  [{ message: 'prompt is too long: 9 tokens > 8 maximum' }, true],
  [{ message: 'Input is too long for requested model.' }, true],
  [
    { message: 'The input token count (9) exceeds the maximum number of tokens allowed (8).' },
    true,
  ],
  [{ message: "'max_tokens' is too large: 9. This model's maximum context length is 8." }, false],
  [{ message: 'The tool is unknown.', code: 'invalid_value' }, false],
])('the refusal %j is of a prompt that is too long: %s', (error, overflow) => {
  const code = overflow ? 'context_length_exceeded' : 'upstream_rejected';
  const refused = decodeError(400, {}, body({ error }));
  expect(encodeError(refused, context).body).toMatchObject({ error: { code } });
  // Other failures may quote the same words.
  const failed = decodeError(500, {}, body({ error }));
  expect(encodeError(failed, context).body).toMatchObject({ error: { code: 'upstream_error' } });
});

test('within a stream the code alone tells that the prompt is too long', () => {
  const refused = streamedError({ error: { message: 'No.', code: 'context_length_exceeded' } });
  expect(refused.code).toBe('upstream_rejected');
});

test('a stream error is one data line, and nothing follows it', () => {
  const text = encodeStreamError(gatewayError('upstream_timeout', 'Too late.'), context);
  expect(text).toMatch(/^data: \{.*\}\n\n$/);
  expect(JSON.parse(text.slice(6))).toMatchObject({
    error: { message: 'Too late.', type: 'server_error', param: null, code: 'upstream_timeout' },
    request_id: 'req-1',
  });
});

test('a comment cannot break out of its line', () => {
  expect(encodeComment('a\n\ndata: {}')).toBe(': a data: {}\n\n');
});

test.each([
  [400, 400, 'upstream_rejected'],
  [404, 400, 'upstream_rejected'],
  [413, 400, 'upstream_rejected'],
  [422, 400, 'upstream_rejected'],
  [401, 502, 'provider_auth_failed'],
  [402, 502, 'provider_auth_failed'],
  [403, 502, 'provider_auth_failed'],
  [429, 429, 'upstream_rate_limited'],
  [408, 502, 'upstream_timeout'],
  [504, 502, 'upstream_timeout'],
  [302, 502, 'upstream_error'],
  [500, 502, 'upstream_error'],
  [529, 502, 'upstream_error'],
])('an upstream’s %i becomes %i %s', (status, ours, code) => {
  const error = decodeError(status, {}, body({ error: { message: 'its words' } }));
  expect(error).toMatchObject({ status: ours, code, details: { upstreamStatus: status } });
});

test.each([
  [{ error: { message: 'm', type: 't', param: 'p', code: 'c' } }, 'm', 'p'],
  [{ error: { message: 'm', type: 'BadRequestError', param: null, code: 400 } }, 'm', undefined],
  [{ object: 'error', message: 'm', type: 'BadRequestError', code: 400 }, 'm', undefined],
  [{ error: 'm' }, 'm', undefined],
  [{ message: 'm' }, 'm', undefined],
  [{ detail: 'm' }, 'm', undefined],
  [[{ error: { message: 'm' } }], 'm', undefined],
])('the message is found in %j', (value, message, param) => {
  expect(decodeError(400, {}, body(value))).toMatchObject({ message, param });
});

test('plain text is used as the message, a web page is not', () => {
  expect(decodeError(400, {}, Buffer.from('no such model')).message).toBe('no such model');
  expect(decodeError(502, {}, Buffer.from('<html>nginx</html>')).message).not.toContain('nginx');
});

test('an upstream’s message about the gateway’s own key is not passed on', () => {
  const said = body({ error: { message: 'Incorrect API key provided: sk-secret' } });
  const error = decodeError(401, {}, said);
  expect(error.message).not.toContain('sk-secret');
});

test.each([
  [{ 'retry-after': '7' }, 7_000],
  [{ 'retry-after-ms': '250', 'retry-after': '1' }, 250],
  [
    { 'retry-after': 'Wed, 21 Oct 2026 07:28:30 GMT', date: 'Wed, 21 Oct 2026 07:28:00 GMT' },
    30_000,
  ],
  [{ 'retry-after': 'soon' }, undefined],
  [{}, undefined],
])('the headers %j set a wait of %s ms', (headers, retryAfterMs) => {
  expect(decodeError(429, headers, body({})).retryAfterMs).toBe(retryAfterMs);
});
