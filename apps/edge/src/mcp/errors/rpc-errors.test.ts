import { ERRORS, gatewayError, isErrorCode } from '@tollgate/contracts';

import { encodeRpcError, encodeRpcErrorEvent } from './rpc-errors';

const CONTEXT = { requestId: 'r-1', rpcId: 7 };
const codes = Object.keys(ERRORS).filter(isErrorCode);

test.each(codes)('%s has a code that the specification leaves to implementations', (code) => {
  const { status, body } = encodeRpcError(gatewayError(code), CONTEXT);
  expect(status).toBe(ERRORS[code].status);
  expect(body).toMatchObject({
    jsonrpc: '2.0',
    id: 7,
    error: { message: ERRORS[code].sentence, data: { code, requestId: 'r-1' } },
  });
  const { code: rpcCode } = (body as { error: { code: number } }).error;
  expect(rpcCode).toBeLessThanOrEqual(-32_000);
  expect(rpcCode).toBeGreaterThanOrEqual(-32_019);
  // Clients of earlier revisions would read it as a resource that does not exist.
  expect(rpcCode).not.toBe(-32_002);
});

test('an error without a known request has the id null, and names the field and the details', () => {
  const error = gatewayError('invalid_request', 'id: is wrong', {
    param: 'id',
    details: { limit: 1 },
  });
  expect(encodeRpcError(error, { requestId: 'r-1', rpcId: undefined }).body).toEqual({
    jsonrpc: '2.0',
    id: null,
    error: {
      code: -32_000,
      message: 'id: is wrong',
      data: { code: 'invalid_request', requestId: 'r-1', param: 'id', details: { limit: 1 } },
    },
  });
});

test.each(['missing_api_key', 'invalid_api_key'] as const)('%s asks for a bearer token', (code) => {
  expect(encodeRpcError(gatewayError(code), CONTEXT).headers).toMatchObject({
    'www-authenticate': 'Bearer',
    'x-tollgate-error-code': code,
  });
});

test('an event is one message with a blank line', () => {
  const event = encodeRpcErrorEvent(gatewayError('upstream_error', 'a\nb'), CONTEXT);
  expect(event).toMatch(/^event: message\ndata: \{[^\n]*\}\n\n$/);
});
