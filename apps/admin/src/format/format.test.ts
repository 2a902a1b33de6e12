import { showCost, showUsd, sumUsd } from './money';
import { plural, showDuration, showPart, showShort } from './numbers';
import { showTime } from './time';
import { sentence } from './words';

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
  expect(showTime(instant, 'moment', 'UTC')).toBe('29 Mar, 01:30:00');
  expect(showTime(instant, 'moment', 'Europe/Berlin')).toBe('29 Mar, 03:30:00');
  expect(showTime(instant, 'date', 'Pacific/Auckland')).toBe('29 Mar 2026');
});

test('constants become words', () => {
  expect([sentence('ORG_ADMIN'), sentence('chat')]).toEqual(['Org admin', 'Chat']);
  expect([sentence('MCP_SERVER'), sentence('API_KEY')]).toEqual(['MCP server', 'API key']);
});
