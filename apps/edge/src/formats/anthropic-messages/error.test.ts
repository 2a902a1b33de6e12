import { gatewayError } from '@tollgate/contracts';

import { decodeError, encodeComment, encodeError, encodeStreamError, streamedError } from './error';

const context = { requestId: 'req-1' };
const body = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

test('an error has its type, its code in both places, and the request id', () => {
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
      type: 'error',
      error: {
        type: 'billing_error',
        message: 'Too dear.',
        code: 'budget_exceeded',
        details: { limit: { id: 'l' }, error_code: 'budget_exceeded' },
      },
      request_id: 'req-1',
    },
  });
});

test.each([
  ['invalid_request', 'invalid_request_error'],
  ['invalid_api_key', 'authentication_error'],
  ['model_access_denied', 'permission_error'],
  ['route_not_found', 'not_found_error'],
  ['rate_limit_exceeded', 'rate_limit_error'],
  ['quota_exceeded', 'rate_limit_error'],
  ['upstream_error', 'api_error'],
  ['upstream_timeout', 'timeout_error'],
  ['dependency_unavailable', 'overloaded_error'],
  ['internal_error', 'api_error'],
] as const)('%s is a %s', (code, type) => {
  expect(encodeError(gatewayError(code), context).body).toMatchObject({ error: { type, code } });
});

test('an error in a stream is an event with the name "error"', () => {
  const text = encodeStreamError(gatewayError('upstream_timeout', 'Too late.'), context);
  const [name, data, ...rest] = text.split('\n');
  expect(name).toBe('event: error');
  expect(JSON.parse(data?.slice('data: '.length) ?? '')).toMatchObject({
    type: 'error',
    error: { type: 'timeout_error', message: 'Too late.', code: 'upstream_timeout' },
    request_id: 'req-1',
  });
  expect(rest).toEqual(['', '']);
});

test('a keep-alive is a ping event, and a comment cannot break out of its line', () => {
  const ping = 'event: ping\ndata: {"type":"ping"}\n\n';
  expect(encodeComment('')).toBe(ping);
  expect(encodeComment('a\n\ndata: {}')).toBe(`: a data: {}\n${ping}`);
});

const said = (type: string) => ({ type: 'error', error: { type, message: 'No.' } });

test.each([
  [400, 'invalid_request_error', 400, 'upstream_rejected'],
  [401, 'authentication_error', 502, 'provider_auth_failed'],
  [402, 'billing_error', 502, 'provider_auth_failed'],
  [403, 'permission_error', 502, 'provider_auth_failed'],
  [404, 'not_found_error', 400, 'upstream_rejected'],
  [413, 'request_too_large', 400, 'upstream_rejected'],
  [429, 'rate_limit_error', 429, 'upstream_rate_limited'],
  [500, 'api_error', 502, 'upstream_error'],
  [504, 'timeout_error', 502, 'upstream_timeout'],
  [529, 'overloaded_error', 502, 'upstream_error'],
])('an upstream’s %i %s becomes %i %s', (status, type, told, code) => {
  const error = decodeError(status, { 'retry-after': '3' }, body(said(type)));
  expect(error).toMatchObject({ status: told, code, details: { upstreamStatus: status } });
  expect(error.message === 'No.').toBe(status !== 401 && status !== 403);
  expect(error.retryAfterMs).toBe(code === 'upstream_rate_limited' ? 3_000 : undefined);
});

test('the cause that the vendor names is kept', () => {
  const value = { error: { type: 't', message: 'm', details: { error_code: 'cause' } } };
  expect(decodeError(400, {}, body(value)).details).toMatchObject({ upstreamCode: 'cause' });
});

test.each(['<html>no</html>', '', 'not JSON'])('the error body %j is decoded', (text) => {
  const error = decodeError(500, {}, Buffer.from(text));
  expect(error.code).toBe('upstream_error');
  expect(error.message).not.toContain('<');
});

test.each([
  ['overloaded_error', 'upstream_error'],
  ['rate_limit_error', 'upstream_rate_limited'],
  ['timeout_error', 'upstream_timeout'],
  ['invalid_request_error', 'upstream_rejected'],
  ['authentication_error', 'provider_auth_failed'],
  ['billing_error', 'provider_auth_failed'],
])('in a stream, %s becomes %s', (type, code) => {
  expect(streamedError(said(type))).toMatchObject({ code, details: { upstreamType: type } });
});
