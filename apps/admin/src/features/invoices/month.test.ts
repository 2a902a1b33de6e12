import { latestMonths, monthBefore, monthName, withMonth } from './month';

test('a month is said in words', () => {
  expect([monthName('2026-10'), monthName('2024-02')]).toEqual(['October 2026', 'February 2024']);
});

test("the month before is the one of the organisation's calendar", () => {
  const newYear = Date.parse('2025-12-31T23:30:00Z');
  expect(monthBefore(newYear, 'UTC')).toBe('2025-11');
  expect(monthBefore(newYear, 'Europe/Berlin')).toBe('2025-12');
});

test('the months to choose from begin with the present one', () => {
  expect(latestMonths(Date.parse('2026-02-10T00:00:00Z'), 'UTC', 3)).toEqual([
    '2026-02',
    '2026-01',
    '2025-12',
  ]);
});

test('an address may name an earlier month than is offered, but nothing else', () => {
  const offered = ['2026-10', '2026-09'];
  expect(withMonth(offered, '2026-09')).toEqual(offered);
  expect(withMonth(offered, '2020-01')).toEqual([...offered, '2020-01']);
  for (const wrong of [null, '', '2020', '2020-13', 'x']) {
    expect(withMonth(offered, wrong)).toEqual(offered);
  }
});
