import fc from 'fast-check';

import { formatUsd, MAX_NANO_USD, parseUsd } from './money';

test.each([
  ['0', 0n, '0.00'],
  ['12.50', 12_500_000_000n, '12.50'],
  ['12.5', 12_500_000_000n, '12.50'],
  ['0.000000001', 1n, '0.000000001'],
  ['1.100', 1_100_000_000n, '1.10'],
  ['1.001', 1_001_000_000n, '1.001'],
  ['9000000', MAX_NANO_USD, '9000000.00'],
])('%s USD is %s nano-USD and is written %s', (text, nano, written) => {
  expect(parseUsd(text)).toBe(nano);
  expect(formatUsd(nano)).toBe(written);
});

test.each([
  ['', 'written in digits'],
  [' 1', 'written in digits'],
  ['1.', 'written in digits'],
  ['.5', 'written in digits'],
  ['+1', 'written in digits'],
  ['1e3', 'written in digits'],
  ['1,000', 'written in digits'],
  ['0x10', 'written in digits'],
  ['NaN', 'written in digits'],
  ['١', 'written in digits'],
  ['1\n', 'written in digits'],
  ['9'.repeat(400), 'written in digits'],
  ['0.0000000001', 'nine decimal places'],
  ['9000000.000000001', 'at most 9000000.00'],
  ['-1', 'not negative'],
])('%j is refused: %s', (text, why) => {
  expect(() => parseUsd(text)).toThrow(RangeError);
  expect(() => parseUsd(text)).toThrow(why);
});

test('a correction may be negative, within the same bounds', () => {
  expect(parseUsd('-0.5', { allowNegative: true })).toBe(-500_000_000n);
  expect(formatUsd(-500_000_000n)).toBe('-0.50');
  expect(() => parseUsd('-9000000.1', { allowNegative: true })).toThrow('at most');
});

test('every amount is written in a form that reads back as itself', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -MAX_NANO_USD, max: MAX_NANO_USD }), (nano) => {
      const text = formatUsd(nano);
      expect(text).toMatch(/^-?\d+\.\d{2}(\d{0,6}[1-9])?$/);
      expect(parseUsd(text, { allowNegative: true })).toBe(nano);
    }),
  );
});
