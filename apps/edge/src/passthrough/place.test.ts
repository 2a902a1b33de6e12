import type { IncomingMessage } from 'node:http';
import { GatewayError } from '@tollgate/contracts';

import { placeOf } from './place';

function asked(url: string, headers: Record<string, string> = {}, method = 'POST') {
  return placeOf({ method, url, headers } as unknown as IncomingMessage);
}

function refused(...args: Parameters<typeof asked>) {
  try {
    asked(...args);
  } catch (error) {
    if (error instanceof GatewayError) return { code: error.code, param: error.param };
    throw error;
  }
  throw new Error('it was not refused');
}

test('the provider, the path below its base URL and the query', () => {
  expect(
    asked('/v1/passthrough/my%20voices/v1/%76oices/a%c3%a4?page=2&x=%2F', {
      'content-length': '7',
    }),
  ).toEqual({
    provider: 'my voices',
    method: 'POST',
    path: '/v1/voices/a%C3%A4',
    query: '?page=2&x=%2F',
    declaredBytes: 7,
  });
  expect(asked('/v1/passthrough/a/b?')).toMatchObject({ query: '', declaredBytes: 0 });
  const chunked = { 'transfer-encoding': 'chunked' };
  expect(asked('/v1/passthrough/a/b', chunked).declaredBytes).toBeUndefined();
});

test.each([
  ['path', '/v1/passthrough/voices'],
  ['path', '/v1/passthrough//voices'],
  ['path', '/v1/passthrough/voices/v1/../admin'],
  ['path', '/v1/passthrough/voices/v1%2fadmin'],
  ['path', '/v1/passthrough/voices//other.example/'],
  ['provider', '/v1/passthrough/%zz/v1'],
  ['provider', `/v1/passthrough/${'a'.repeat(257)}/v1`],
  ['query', '/v1/passthrough/voices/v1?a=ä'],
  ['query', '/v1/passthrough/voices/v1?a=%zz'],
  ['query', `/v1/passthrough/voices/v1?${'a'.repeat(4_097)}`],
  ['key', '/v1/passthrough/voices/v1?key=other'],
  ['API_KEY', '/v1/passthrough/voices/v1?a=1&API_KEY=other'],
  ['access_token', '/v1/passthrough/voices/v1?access%5Ftoken=other'],
  ['a', '/v1/passthrough/voices/v1?a=tg_0123456789'],
  ['a', '/v1/passthrough/voices/v1?a=Bearer%20tg_0123456789'],
  ['X-Api-Key', '/v1/passthrough/voices/v1?X-Api-Key=other'],
  ['query', '/v1/passthrough/voices/v1?a=1;key=other'],
  ['path', '/v1/passthrough/voices/v1/tg_0123456789'],
])('%s is at fault in %s', (param, url) => {
  expect(refused(url)).toEqual({ code: 'invalid_request', param });
});

test.each(['HEAD', 'OPTIONS', 'TRACE', 'CONNECT'])('%s is not passed through', (method) => {
  expect(refused('/v1/passthrough/voices/v1', {}, method)).toEqual({
    code: 'invalid_request',
    param: 'method',
  });
});

test('an absolute URL is no route, and an upgrade is refused as such', () => {
  expect(refused('http://other.example/v1/passthrough/a/b').code).toBe('route_not_found');
  expect(refused('/v1/passthrough/a/b', { upgrade: 'websocket' }, 'GET').code).toBe(
    'websocket_disabled',
  );
});
