import * as fc from 'fast-check';

import { createLineReader } from './lines';

test('lines come whole, however they are cut', () => {
  const line = fc.string().map((text) => text.replaceAll(/[\r\n]/g, ''));
  fc.assert(
    fc.property(fc.array(line), fc.integer({ min: 1, max: 9 }), (lines, size) => {
      const seen: string[] = [];
      const reader = createLineReader(1_000_000, (one) => seen.push(one));
      const bytes = Buffer.from(lines.map((one) => `${one}\n`).join(''));
      for (let at = 0; at < bytes.length; at += size) {
        expect(reader.push(bytes.subarray(at, at + size))).toBe(true);
      }
      expect(seen).toEqual(lines.map((one) => Buffer.from(one).toString()));
    }),
  );
});

test('a line above the limit ends the reading, also without its end', () => {
  const seen: string[] = [];
  const reader = createLineReader(3, (line) => seen.push(line));
  expect(reader.push(Buffer.from('abc\nab'))).toBe(true);
  expect(reader.push(Buffer.from('cd'))).toBe(false);
  expect(seen).toEqual(['abc']);
});
