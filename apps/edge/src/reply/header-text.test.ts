import { validateHeaderValue } from 'node:http';

import { headerList, headerText, relayedHeader } from './header-text';

test.each([
  ['a name', 'a name'],
  ['modèle', 'mod%C3%A8le'],
  ['a\nb', 'a%0Ab'],
  ['\ud800', '%EF%BF%BD'],
  [`${'x'.repeat(255)}😀`, `${'x'.repeat(255)}%EF%BF%BD...`.slice(0, 256) + '...'],
])('%j is written as %s', (name, text) => {
  expect(headerText(name)).toBe(text);
});

test('a list is bounded, and ends with the number of names left out', () => {
  expect(headerList(['a', 'b.c'])).toBe('a,b.c');
  const names = Array.from({ length: 10_000 }, (_, n) => `field_${n}.\u{1f600}`);
  const text = headerList(names);
  expect(text.length).toBeLessThan(2_100);
  const listed = text.split(',').length - 1;
  expect(text).toMatch(new RegExp(`,\\.\\.\\.\\+${10_000 - listed} more$`));
});

test('any text becomes a valid header value', () => {
  for (let code = 0; code < 0x11000; code += 37) {
    const text = `a${String.fromCharCode(code)}b`;
    for (const value of [headerText(text), headerList([text, text]), relayedHeader(text)]) {
      expect(() => validateHeaderValue('x-name', value)).not.toThrow();
    }
  }
});
