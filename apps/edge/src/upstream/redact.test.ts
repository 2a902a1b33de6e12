import { createRedact, maskedHeaders, maskedText, maskKeys } from './redact';

const KEY = 'sk-Proj/a+b=0123456789"xyz';
const redact = createRedact([KEY, 'tiny5', 'abc']);

const base64 = (before: string): string => Buffer.from(before + KEY).toString('base64');

test.each([
  ['whole', `Incorrect API key provided: ${KEY}.`],
  ['in upper case', `key ${KEY.toUpperCase()}`],
  ['by its prefix', `key ${KEY.slice(0, 12)}...`],
  ['its first eight characters', `key ${KEY.slice(0, 8)}***`],
  ['percent-encoded', `?key=${encodeURIComponent(KEY)}&x`],
  ['in JSON', JSON.stringify({ key: KEY })],
  ['in Base64', `Basic ${base64('')}`],
  ['in Base64, after one byte', `Basic ${base64('u')}`],
  ['in Base64, after two', `Basic ${base64('u:')}`],
  ['in base64url', Buffer.from(`user:${KEY}`).toString('base64url')],
  ['twice', `${KEY} and ${KEY}`],
])('a key is removed %s', (_, text) => {
  const clean = redact(text);
  expect(clean).toContain('[redacted]');
  expect(clean).not.toContain(KEY.slice(0, 8));
  expect(clean).not.toContain(base64('').slice(4, 16));
  expect(clean).not.toContain(KEY.slice(8, 20));
});

test('a short secret is removed as a whole word, and a very short one is ignored', () => {
  expect(redact('tiny5 tiny abc')).toBe('[redacted] tiny abc');
});

test('other text stays unchanged', () => {
  const text = 'max_tokens is too large: İ 128000. Ask sk-pr for less.';
  expect(redact(text)).toBe(text);
  expect(createRedact([])(text)).toBe(text);
});

test('whole keys are masked in answers and headers, and nothing else changes', () => {
  const key = 'sk-a-key-of-twenty-one';
  const connection = { secrets: [{ apiKeyId: 'a', name: 'a', value: key, weight: 1 }] };
  const body = Buffer.from(`{"text":"é ${key} ${key}"}`);
  const stars = '*'.repeat(key.length);
  maskKeys(body, connection);
  expect(body.toString()).toBe(`{"text":"é ${stars} ${stars}"}`);
  expect(maskedText(`a ${key}`, connection)).toBe(`a ${stars}`);
  const headers = { 'content-type': `audio/mpeg; k=${key}`, other: 'x' };
  expect(maskedHeaders(headers, connection)).toEqual({
    'content-type': `audio/mpeg; k=${stars}`,
    other: 'x',
  });
  expect(maskedHeaders({ other: 'x' }, connection)).toEqual({ other: 'x' });
});

test('secrets that start alike are removed whole, in any order', () => {
  const secrets = ['sk-proj-aaaa-1111', 'sk-proj-bbbb-2222', 'sk-p'];
  for (const known of [secrets, secrets.toReversed()]) {
    const redact = createRedact(known);
    expect(redact('1: sk-proj-bbbb-2222, 2: sk-proj-aaaa-1111.')).toBe(
      '1: [redacted], 2: [redacted].',
    );
  }
});
