import type { rest } from '@tollgate/contracts';

import { monthSums, twoMonths } from './two-months';

const MEASURES: rest.UsageMeasures = {
  requests: 3,
  errors: 0,
  tokensIn: 0,
  tokensOut: 0,
  tokens: {
    input: 0,
    cacheRead: 0,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    audioInput: 0,
    imageInput: 0,
    output: 0,
    audioOutput: 0,
    imageOutput: 0,
    reasoning: 0,
  },
  costUsd: '1.25',
  cacheSavedUsd: '0',
  routingSavedUsd: '0',
  latencyMs: null,
  firstTokenMs: null,
};

test('months begin in the zone of the organisation, over the change of clocks and of years', () => {
  expect(twoMonths(Date.parse('2026-04-15T12:00:00Z'), 'Europe/Berlin')).toEqual({
    lastFrom: '2026-02-28T23:00:00.000Z',
    thisFrom: '2026-03-31T22:00:00.000Z',
    to: '2026-04-30T22:00:00.000Z',
  });
  expect(twoMonths(Date.parse('2026-01-31T23:59:59Z'), 'UTC')).toMatchObject({
    lastFrom: '2025-12-01T00:00:00.000Z',
    thisFrom: '2026-01-01T00:00:00.000Z',
  });
});

test('a month without usage is zero, whichever is missing', () => {
  const months = twoMonths(Date.parse('2026-04-15T12:00:00Z'), 'UTC');
  const row = (start: string) => ({ start, group: null, measures: MEASURES });
  expect(monthSums(months, [])).toMatchObject({ now: { requests: 0 }, last: { costUsd: '0' } });
  expect(monthSums(months, [row(months.lastFrom)])).toMatchObject({
    now: { costUsd: '0' },
    last: { costUsd: '1.25', requests: 3 },
  });
  expect(monthSums(months, [row('2026-04-01T00:00:00Z')])).toMatchObject({
    now: { costUsd: '1.25' },
  });
});
