import { forecastUsd, usedPart } from './forecast';

const september = {
  spentUsd: '10.00',
  windowStart: '2026-09-01T00:00:00.000Z',
  windowEnd: '2026-10-01T00:00:00.000Z',
};

test('a window goes on as it did so far', () => {
  expect(forecastUsd(september, Date.parse('2026-09-11T00:00:00Z'))).toBe('30.00');
  expect(forecastUsd({ ...september, spentUsd: '0' }, Date.parse('2026-09-16T00:00:00Z'))).toBe(
    '0.00',
  );
});

test('at its beginning nothing can be told, at its end everything is', () => {
  expect(forecastUsd(september, Date.parse('2026-09-02T00:00:00Z'))).toBeUndefined();
  expect(forecastUsd(september, Date.parse('2026-10-01T00:00:00Z'))).toBe('10.00');
  expect(forecastUsd(september, Date.parse('2026-10-09T00:00:00Z'))).toBe('10.00');
});

test('a limit of nothing is used up', () => {
  expect(usedPart('0', '0')).toBe(1);
  expect(usedPart('2.5', '10')).toBe(0.25);
  expect(usedPart('-1', '10')).toBe(-0.1);
});
