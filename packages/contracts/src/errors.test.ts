import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { retryHeaders } from './error-headers';
import { ERRORS, isErrorCode, REST_ERRORS, type ErrorCode, type ErrorRow } from './errors';
import { errorsPage } from './errors-page';
import { GatewayError, gatewayError, RestError, restError } from './gateway-error';

const rows: [string, ErrorRow][] = [...Object.entries(ERRORS), ...Object.entries(REST_ERRORS)];

test('every status that the specification names for the gateway has a code', () => {
  const statuses = new Set(Object.values(ERRORS).map((row) => row.status));
  // 426 is of WebSockets, which the specification does not have.
  expect(statuses).toEqual(new Set([400, 401, 402, 403, 404, 426, 429, 500, 502, 503]));
});

test.each(rows)('%s says in whole sentences what happened and what to do', (_code, row) => {
  expect(row.sentence).toMatch(/^[A-Z].*\.$/);
  expect(row.sentence).not.toContain('|');
});

test('docs/errors.md is what the tables say (write it anew: pnpm errors-page)', () => {
  const page = readFileSync(join(__dirname, '../../../docs/errors.md'), 'utf8');
  expect(page).toBe(errorsPage());
});

test('budget, quota, access and content refusals are never sent again', () => {
  const codes: ErrorCode[] = [
    'budget_exceeded',
    'quota_exceeded',
    'model_access_denied',
    'mcp_access_denied',
    'mcp_tool_changed',
    'plugin_blocked',
    'content_blocked',
  ];
  for (const code of codes) expect(retryHeaders(code)['x-should-retry']).toBe('false');
});

test('a short wait is announced in whole seconds, rounded up', () => {
  expect(retryHeaders('rate_limit_exceeded', 1)).toEqual({ 'retry-after': '1' });
  expect(retryHeaders('rate_limit_exceeded', 20_000)).toEqual({ 'retry-after': '20' });
});

test('a wait of more than twenty seconds is not announced but forbids sending again', () => {
  expect(retryHeaders('rate_limit_exceeded', 20_001)).toEqual({ 'x-should-retry': 'false' });
});

test('an error that may pass on its own leaves the decision to the SDK', () => {
  expect(retryHeaders('upstream_error')).toEqual({});
});

test('a gateway error without a message carries its sentence and its status', () => {
  const error = gatewayError('model_not_found');
  expect(error).toBeInstanceOf(GatewayError);
  expect(error).toMatchObject({
    code: 'model_not_found',
    status: 400,
    message: ERRORS.model_not_found.sentence,
    param: undefined,
    details: undefined,
    retryAfterMs: undefined,
  });
  expect('cause' in error).toBe(false);
});

test('a gateway error keeps what it is given', () => {
  const cause = new Error('socket closed');
  const options = { param: 'messages.0', details: { a: 1 }, retryAfterMs: 5, cause };
  expect(gatewayError('upstream_error', 'No answer.', options)).toMatchObject({
    ...options,
    status: 502,
    message: 'No answer.',
  });
});

test('a REST error has the status of the second table', () => {
  const error = restError('validation_failed', 'name is empty', [{ path: 'name' }]);
  expect(error).toBeInstanceOf(RestError);
  expect(error).toMatchObject({
    code: 'validation_failed',
    status: 422,
    details: [{ path: 'name' }],
  });
  expect(restError('not_found').message).toBe(REST_ERRORS.not_found.sentence);
});

test('only codes of the table are codes', () => {
  expect(isErrorCode('invalid_api_key')).toBe(true);
  expect(isErrorCode('toString')).toBe(false);
});
