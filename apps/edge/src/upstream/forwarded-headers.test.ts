import { providerRulesOf } from './endpoints';
import { forwardedHeaders } from './forwarded-headers';

const anthropic = providerRulesOf('PROVIDER_B', 'anthropic').forwarded;
const openai = providerRulesOf('PROVIDER_A', 'openai').forwarded;

test('all headers of the vendor are forwarded, unknown ones included', () => {
  const headers = {
    'anthropic-beta': 'a,b',
    'anthropic-version': '2023-06-01',
    'anthropic-not-yet-invented': 'yes',
    'idempotency-key': 'i-1',
    'x-client-request-id': 'c-1',
  };
  expect(forwardedHeaders({ ...headers, 'openai-beta': 'x', 'x-other': 'y' }, anthropic)).toEqual(
    headers,
  );
});

test('headers of the chat format are an allow list', () => {
  const headers = {
    'openai-beta': 'a',
    'openai-organization': 'org',
    'openai-project': 'p',
    'idempotency-key': 'i-1',
    'x-client-request-id': 'c-1',
  };
  expect(forwardedHeaders({ ...headers, 'anthropic-beta': 'x' }, openai)).toEqual(headers);
});

test.each([
  'anthropic-api-key',
  'anthropic-auth-token',
  'anthropic-authorization',
  'anthropic-cookie',
  'anthropic-client-secret',
])('%s is a credential and is not forwarded', (name) => {
  expect(forwardedHeaders({ [name]: 'tg_key' }, anthropic)).toEqual({});
});

test.each(['authorization', 'x-api-key', 'x-goog-api-key', 'x-gemini-api-key', 'cookie'])(
  '%s is not forwarded to any upstream',
  (name) => {
    for (const forwarded of [
      anthropic,
      openai,
      providerRulesOf('PROVIDER_C', 'gemini').forwarded,
    ]) {
      expect(forwardedHeaders({ [name]: 'tg_key' }, forwarded)).toEqual({});
    }
  },
);

test('size and number are limited, and the error names the header', () => {
  expect(() => forwardedHeaders({ 'anthropic-beta': 'x'.repeat(4_097) }, anthropic)).toThrow(
    expect.objectContaining({ code: 'invalid_request', param: 'anthropic-beta' }),
  );
  const many = Array.from({ length: 33 }, (_, n) => [`anthropic-x-${n}`, '1'] as const);
  expect(() => forwardedHeaders(Object.fromEntries(many), anthropic)).toThrow(
    expect.objectContaining({ code: 'invalid_request', param: 'anthropic-x-32' }),
  );
});
