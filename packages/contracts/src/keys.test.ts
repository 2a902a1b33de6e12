import { randomBytes } from 'node:crypto';

import { hashApiKey, newApiKey, previewOf } from './api-keys';
import { openSecret, parseKeyRing, sealSecret, secretContext } from './key-ring';

test('a new key is tg_ and 32 random bytes, and is known by its hash', () => {
  const { key, preview, sha256 } = newApiKey();
  expect(key).toMatch(/^tg_[A-Za-z0-9_-]{43}$/);
  expect(Buffer.from(key.slice(3), 'base64url')).toHaveLength(32);
  expect(hashApiKey(key).equals(sha256)).toBe(true);
  expect(preview).toBe(`${key.slice(0, 7)}…${key.slice(-4)}`);
  expect(newApiKey().key).not.toBe(key);
});

test('the hash is SHA-256 of the key as text', () => {
  expect(hashApiKey('abc').toString('hex')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});

test('a short secret is not shown even in part', () => {
  expect(previewOf('hunter2')).toBe('…');
  expect(previewOf('sk-0123456789012345678901234')).toBe('sk-0…1234');
});

const base64 = () => randomBytes(32).toString('base64');
const [first, second] = [base64(), base64()];
const aad = secretContext('provider', 'key');

test('a sealed secret opens in its own context', () => {
  const ring = parseKeyRing(`a:${first}`);
  const sealed = sealSecret(ring, 'sk-ключ', aad);
  expect(sealed).toMatchObject({ keyId: 'a' });
  expect([sealed.nonce.length, sealed.tag.length]).toEqual([12, 16]);
  expect(openSecret(ring, sealed, aad)).toBe('sk-ключ');
});

test('the same secret is never sealed the same way twice', () => {
  const ring = parseKeyRing(`a:${first}`);
  const [one, two] = [sealSecret(ring, 'x', aad), sealSecret(ring, 'x', aad)];
  expect(one.nonce.equals(two.nonce)).toBe(false);
  expect(one.ciphertext.equals(two.ciphertext)).toBe(false);
});

test('after a rotation new secrets use the new key and old ones still open', () => {
  const old = sealSecret(parseKeyRing(`a:${first}`), 'secret', aad);
  const ring = parseKeyRing(`b:${second},a:${first}`);
  expect(openSecret(ring, old, aad)).toBe('secret');
  expect(sealSecret(ring, 'secret', aad).keyId).toBe('b');
});

test('a secret does not open elsewhere, changed in any part, or without its key', () => {
  const ring = parseKeyRing(`a:${first}`);
  const sealed = sealSecret(ring, 'secret', aad);
  const flipped = (bytes: Buffer) =>
    Buffer.from(bytes.map((byte, i) => (i === 0 ? byte ^ 1 : byte)));
  expect(() => openSecret(ring, sealed, secretContext('provider', 'another'))).toThrow();
  expect(() => openSecret(ring, { ...sealed, nonce: flipped(sealed.nonce) }, aad)).toThrow();
  expect(() =>
    openSecret(ring, { ...sealed, ciphertext: flipped(sealed.ciphertext) }, aad),
  ).toThrow();
  expect(() => openSecret(ring, { ...sealed, tag: flipped(sealed.tag) }, aad)).toThrow();
  expect(() => openSecret(ring, { ...sealed, tag: sealed.tag.subarray(0, 4) }, aad)).toThrow();
  expect(() => openSecret(parseKeyRing(`a:${second}`), sealed, aad)).toThrow();
  expect(() => openSecret(parseKeyRing(`b:${first}`), sealed, aad)).toThrow('has the id a');
});

test('a ring may have a line for each key', () => {
  expect([...parseKeyRing(`a:${first}\nb:${second}\n`).keys.keys()]).toEqual(['a', 'b']);
});

test.each([
  ['nothing', ''],
  ['no id', first],
  ['an empty id', `:${first}`],
  ['a short key', `a:${randomBytes(16).toString('base64')}`],
  ['a long key', `a:${randomBytes(33).toString('base64')}`],
  ['a missing entry', `a:${first},,`],
  ['an id twice', `a:${first},a:${second}`],
])('a ring with %s is refused without showing a key', (_what, text) => {
  let message = '';
  try {
    parseKeyRing(text);
  } catch (error) {
    message = String(error);
  }
  expect(message).toMatch(/^RangeError/);
  expect(message).not.toContain(first);
  expect(message).not.toContain(second);
});
