import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

import { providerRulesOf } from './endpoints';
import { forwardedHeaders as forwardedFor } from './forwarded-headers';

const anthropic = providerRulesOf('PROVIDER_B', 'anthropic').forwarded;
const openai = providerRulesOf('PROVIDER_A', 'openai').forwarded;
const KEY = Buffer.alloc(32, 1);
const forwardedHeaders = (headers: IncomingHttpHeaders, forwarded = openai, key = KEY) =>
  forwardedFor(headers, forwarded, key);
/** `i-1`, as sent for this key. */
const SCOPED = createHmac('sha256', KEY).update('i-1').digest('hex');

test('all headers of the vendor are forwarded, unknown ones included', () => {
  const headers = {
    'anthropic-beta': 'a,b',
    'anthropic-version': '2023-06-01',
    'anthropic-not-yet-invented': 'yes',
    'idempotency-key': 'i-1',
    'x-client-request-id': 'c-1',
  };
  expect(forwardedHeaders({ ...headers, 'openai-beta': 'x', 'x-other': 'y' }, anthropic)).toEqual({
    ...headers,
    'idempotency-key': SCOPED,
  });
});

test.each(['anthropic-workspace-id', 'anthropic-user-profile-id'])(
  '%s chooses who pays at the gateway’s account, so it is not forwarded',
  (name) => {
    expect(forwardedHeaders({ [name]: 'x' }, anthropic)).toEqual({});
  },
);

test('headers of the chat format are an allow list', () => {
  const headers = {
    'openai-beta': 'a',
    'openai-organization': 'org',
    'openai-project': 'p',
    'idempotency-key': 'i-1',
    'x-client-request-id': 'c-1',
  };
  expect(forwardedHeaders({ ...headers, 'anthropic-beta': 'x' }, openai)).toEqual({
    ...headers,
    'idempotency-key': SCOPED,
  });
});

test('an idempotency key is one of its API key: retries repeat it, other keys cannot', () => {
  const sent = (value: string, key = KEY) =>
    forwardedHeaders({ 'idempotency-key': value }, openai, key)['idempotency-key'];
  expect(sent('order-1')).toMatch(/^[0-9a-f]{64}$/);
  expect(sent('order-1')).toBe(sent('order-1'));
  expect(sent('order-1')).not.toBe(sent('order-2'));
  expect(sent('order-1')).not.toBe(sent('order-1', Buffer.alloc(32, 2)));
  // An empty one is none, and must not become one.
  expect(sent('')).toBeUndefined();
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
