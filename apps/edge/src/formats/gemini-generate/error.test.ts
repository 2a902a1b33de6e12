import { ERRORS, gatewayError, vendorStatusOf, type ErrorCode } from '@tollgate/contracts';

import { geminiGenerateArray as arrayFormat, geminiGenerate as format } from '.';

const decode = (status: number, body: unknown, headers = {}) =>
  format.decodeError(
    status,
    headers,
    Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  );
const vendor = (code: number, status: string, details: unknown[] = []) => ({
  error: { code, message: 'No.', status, details },
});

test.each<[number, string, ErrorCode]>([
  [400, 'INVALID_ARGUMENT', 'upstream_rejected'],
  [401, 'UNAUTHENTICATED', 'provider_auth_failed'],
  [403, 'PERMISSION_DENIED', 'provider_auth_failed'],
  [404, 'NOT_FOUND', 'upstream_rejected'],
  [429, 'RESOURCE_EXHAUSTED', 'upstream_rate_limited'],
  [499, 'CANCELLED', 'upstream_error'],
  [500, 'INTERNAL', 'upstream_error'],
  [503, 'UNAVAILABLE', 'upstream_error'],
  [504, 'DEADLINE_EXCEEDED', 'upstream_timeout'],
])('status %d %s becomes %s', (status, word, code) => {
  const error = decode(status, vendor(status, word));
  expect(error).toMatchObject({ code, details: { upstreamStatus: status, upstreamType: word } });
  // A message about credentials may quote them, so it is replaced.
  expect(error.message === 'No.').toBe(code !== 'provider_auth_failed');
  // The vendor refuses a non-SSE stream with a list.
  expect(decode(status, [vendor(status, word)])).toMatchObject({ code, message: error.message });
});

test('an unknown key, which the vendor answers with 400, is not the client’s mistake', () => {
  const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' };
  const error = decode(400, vendor(400, 'INVALID_ARGUMENT', [info]));
  expect(error).toMatchObject({ code: 'provider_auth_failed', status: 502 });
  expect(error.message).not.toContain('No.');
});

test.each([
  ['45.837906927s', 45_838],
  ['38s', 38_000],
  ['soon', undefined],
])('the retry delay of the body is read: %s', (retryDelay, retryAfterMs) => {
  const info = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay };
  const error = decode(429, vendor(429, 'RESOURCE_EXHAUSTED', [info]));
  expect(error.retryAfterMs).toBe(retryAfterMs);
  expect(
    decode(429, vendor(429, 'RESOURCE_EXHAUSTED', [info]), { 'retry-after': '3' }).retryAfterMs,
  ).toBe(3_000);
});

test('the field that the vendor rejects is the param', () => {
  const violation = {
    '@type': 'type.googleapis.com/google.rpc.BadRequest',
    fieldViolations: [{ field: 'generation_config.top_k', description: 'too large' }],
  };
  expect(decode(400, vendor(400, 'INVALID_ARGUMENT', [violation])).param).toBe(
    'generation_config.top_k',
  );
});

test.each(['', 'gone', '<html>', '[]', '{"error":"no"}', '5'])('%j is decoded', (body) => {
  expect(decode(500, body)).toMatchObject({ code: 'upstream_error', status: 502 });
});

test.each(Object.keys(ERRORS) as ErrorCode[])('%s is encoded with every field', (code) => {
  const error = gatewayError(code, 'Why.', {
    param: 'topK',
    details: { a: 1 },
    retryAfterMs: 1_500,
  });
  const { status, headers, body } = format.encodeError(error, { requestId: 'r1' });
  expect(status).toBe(vendorStatusOf(code));
  expect(headers).toMatchObject({ 'x-request-id': 'r1', 'request-id': 'r1' });
  expect(body).toEqual({
    error: {
      code: vendorStatusOf(code),
      message: 'Why.',
      status: expect.stringMatching(/^[A-Z_]+$/) as string,
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: code,
          domain: 'tollgate',
          metadata: { requestId: 'r1', param: 'topK' },
        },
        {
          '@type': 'type.googleapis.com/google.rpc.BadRequest',
          fieldViolations: [{ field: 'topK', description: 'Why.' }],
        },
        { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '2s' },
        { '@type': 'type.googleapis.com/google.protobuf.Struct', value: { a: 1 } },
      ],
    },
  });
});

test('an error is the last piece of a stream, and comments are never written', () => {
  const error = gatewayError('upstream_error', 'Gone.');
  const context = { requestId: 'r1' };
  expect(format.encodeStreamError(error, context)).toMatch(
    /^data: \{"error":\{"code":502,.*\}\n\n$/,
  );
  const elements = JSON.parse(`[{},${arrayFormat.encodeStreamError(error, context)}`) as unknown;
  expect(elements).toMatchObject([{}, { error: { code: 502, status: 'UNAVAILABLE' } }]);
  for (const each of [format, arrayFormat]) expect(each.encodeComment('x')).toBe('');
});
