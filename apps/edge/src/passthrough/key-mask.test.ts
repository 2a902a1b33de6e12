import fc from 'fast-check';

import { createKeyMask } from './key-mask';

const seed = Number(process.env['PROPERTY_SEED'] ?? Date.now() % 1_000_000_007);
const KEYS = ['sk-provider-0123456789', 'sk-provider-0123999999', 'aaaaaaaaaaaaaaaab'];
const connection = {
  secrets: KEYS.map((value, at) => ({ apiKeyId: `${at}`, name: '', value, weight: 1 })),
  identities: [],
};

function masked(chunks: readonly string[]): string {
  const mask = createKeyMask(connection);
  const parts = chunks.map((chunk) => mask.push(Buffer.from(chunk)));
  return Buffer.concat([...parts, mask.end()]).toString();
}

test('a key that comes in two parts is overwritten', () => {
  expect(masked(['before sk-provider-01', '23456789 after'])).toBe(
    `before ${'*'.repeat(22)} after`,
  );
});

test('nothing waits that cannot begin a key', () => {
  const mask = createKeyMask(connection);
  expect(mask.push(Buffer.from('data: hello\n\n')).toString()).toBe('data: hello\n\n');
  expect(mask.push(Buffer.from('a task.')).toString()).toBe('a task.');
  expect(mask.push(Buffer.from(' s')).toString()).toBe(' ');
});

test(`however an answer is cut, no key passes and the rest is unchanged (seed ${seed})`, () => {
  const piece = fc.oneof(
    fc.constantFrom(...KEYS, 'sk-', 'sk-provider-0123', 'a', 'aaaa'),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), fc.array(fc.nat(200)), (pieces, cuts) => {
      const text = pieces.join('');
      const at = [0, ...cuts.filter((cut) => cut < text.length), text.length].toSorted(
        (a, b) => a - b,
      );
      const chunks = at.slice(1).map((end, n) => text.slice(at[n], end));
      const passed = masked(chunks);
      for (const key of KEYS) expect(passed).not.toContain(key);
      expect(passed).toBe(masked([text]));
      expect(passed).toHaveLength(text.length);
    }),
    { seed, numRuns: 500 },
  );
});
