import { provideLocale } from './locale';
import { showCost, showExactUsd, showUsd, showUsdTick, sumUsd } from './money';
import { plural, showCount, showDuration, showPart, showShort } from './numbers';
import { showTime } from './time';
import { sentence } from './words';

afterEach(() => provideLocale(() => undefined));

test.each([
  ['0', '$0.00'],
  ['12.5', '$12.50'],
  ['1234567.891', '$1,234,567.89'],
  ['9.996', '$10.00'],
  ['1.009', '$1.01'],
  ['0.99994', '$0.9999'],
  ['0.99996', '$1.00'],
  ['0.0123456', '$0.0123'],
  ['0.000014', '$0.000014'],
  ['0.000123456', '$0.000123'],
  ['0.000000001', '$0.000000001'],
  ['-3.2', '−$3.20'],
])('%s dollars are shown as %s', (amount, text) => {
  expect(showUsd(amount)).toBe(text);
});

test.each([
  ['0', '$0.00'],
  ['0.002', '$0.002000'],
  ['0.00024051', '$0.000241'],
  ['0.0000004', '$0.0000004'],
  ['0.9999996', '$1.00'],
  ['12.345', '$12.35'],
  ['-0.0025', '−$0.002500'],
])('a request of %s dollars is shown as %s', (amount, text) => {
  expect(showCost(amount)).toBe(text);
});

test('amounts are added without rounding', () => {
  expect(sumUsd(['0.1', '0.2', '0.000000001'])).toBe('0.300000001');
  expect(sumUsd([])).toBe('0.00');
});

test('numbers are short where there is little room', () => {
  expect([showShort(999), showShort(1_234), showShort(12_345_678)]).toEqual([
    '999',
    '1.2K',
    '12.3M',
  ]);
  expect([showPart(0.0123), showPart(1)]).toEqual(['1.2%', '100%']);
  expect([showDuration(3.4), showDuration(1_240), showDuration(125_000)]).toEqual([
    '3 ms',
    '1.24 s',
    '2 min 5 s',
  ]);
  expect([plural(1, 'model'), plural(1_000, 'model')]).toEqual(['1 model', '1,000 models']);
});

test("instants are shown in the organisation's zone", () => {
  const instant = '2026-03-29T01:30:00.000Z';
  expect(showTime(instant, 'hour', 'UTC')).toBe('1:30 AM');
  expect(showTime(instant, 'hour', 'Europe/Berlin')).toBe('3:30 AM');
  expect(showTime(instant, 'date', 'Pacific/Auckland')).toBe('Mar 29, 2026');
});

// Each locale as its viewers write; spaces that do not break are shown as they are.
test.each([
  {
    locale: 'en-GB',
    money: ['US$1,234.50', 'US$0.0123', '−US$3.20', 'US$1,234.567', 'US$1.2K'],
    numbers: ['1,234,567', '12.3M', '12.5%', '<0.1%', '1.24 s'],
    times: ['29 Mar', '29 Mar 2026', '29 Mar, 13:05', '29 Mar, 13:05:07', '13:05'],
  },
  {
    locale: 'de-DE',
    money: ['1.234,50 $', '0,0123 $', '−3,20 $', '1.234,567 $', '1,2K $'],
    numbers: ['1.234.567', '12,3M', '12,5 %', '<0,1 %', '1,24 s'],
    times: ['29.03.', '29.03.2026', '29.03., 13:05', '29.03., 13:05:07', '13:05'],
  },
  {
    locale: 'fr-FR',
    money: ['1 234,50 $US', '0,0123 $US', '−3,20 $US', '1 234,567 $US', '1,2K $US'],
    numbers: ['1 234 567', '12,3M', '12,5 %', '<0,1 %', '1,24 s'],
    times: ['29/03', '29/03/2026', '29/03 13:05', '29/03 13:05:07', '13:05'],
  },
  // Another calendar, other digits, another direction and words do not reach English sentences.
  {
    locale: 'fa-IR',
    money: ['$ 1,234.50', '$ 0.0123', '−$ 3.20'],
    numbers: ['1,234,567'],
    times: ['03/29', '2026/03/29', '03/29, 13:05', '03/29, 13:05:07', '13:05'],
  },
  {
    locale: 'ar-EG',
    money: ['1,234.50 US$', '0.0123 US$', '−3.20 US$'],
    numbers: ['1,234,567'],
    times: ['29/03', '29/03/2026', '29/03، 13:05', '29/03، 13:05:07', '13:05'],
  },
  {
    locale: 'he-IL',
    money: ['1,234.50 $', '0.0123 $', '−3.20 $'],
    numbers: ['1,234,567'],
    times: ['29.03', '29.03.2026', '29.03, 13:05', '29.03, 13:05:07', '13:05'],
  },
  {
    locale: 'ko-KR',
    money: ['US$1,234.50', 'US$0.0123', '−US$3.20'],
    numbers: ['1,234,567'],
    times: ['03. 29.', '2026. 03. 29.', '03. 29. 13:05', '03. 29. 13:05:07', '13:05'],
  },
  {
    locale: 'bg-BG',
    money: ['1234,50 $', '0,0123 $', '−3,20 $'],
    numbers: ['1 234 567'],
    times: ['29.03'],
  },
])('a viewer with $locale sees its numbers, money and dates', ({ locale, ...expected }) => {
  provideLocale(() => locale);
  const instant = '2026-03-29T13:05:07.000Z';
  const money = [
    showUsd('1234.5'),
    showUsd('0.0123456'),
    showUsd('-3.2'),
    showExactUsd('1234.567'),
    showUsdTick(1_234),
  ];
  const numbers = [
    showCount(1_234_567),
    showShort(12_345_678),
    showPart(0.125),
    showPart(0.0001),
    showDuration(1_240),
  ];
  const times = (['day', 'date', 'minute', 'moment', 'hour'] as const).map((format) =>
    showTime(instant, format, 'UTC'),
  );
  const plain = (texts: readonly string[], like: readonly string[]) =>
    texts.slice(0, like.length).map((text) => text.replaceAll(/[\u00a0\u202f]/g, ' '));
  expect({
    money: plain(money, expected.money),
    numbers: plain(numbers, expected.numbers),
    times: plain(times, expected.times),
  }).toEqual(expected);
});

test('months are English words in every locale, and exact amounts keep every digit', () => {
  provideLocale(() => 'de-DE');
  expect(showTime('2026-03-29T13:05:07.000Z', 'month', 'UTC')).toBe('Mar 2026');
  expect(showExactUsd('8765432.123456789')).toBe('8.765.432,123456789\u00a0$');
});

test('constants become words', () => {
  expect([sentence('ORG_ADMIN'), sentence('chat')]).toEqual(['Org admin', 'Chat']);
  expect([sentence('MCP_SERVER'), sentence('API_KEY')]).toEqual(['MCP server', 'API key']);
});
