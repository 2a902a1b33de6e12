import fc from 'fast-check';

import { BUDGET_PERIODS, type BudgetPeriod } from './enums';
import { isTimeZone, windowAt } from './windows';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

function window(period: BudgetPeriod, instant: string, timeZone: string): string {
  const { startMs, endMs } = windowAt({ period }, Date.parse(instant), timeZone);
  return `${stamp(startMs)} ${stamp(endMs)}`;
}

function stamp(ms: number): string {
  return new Date(ms).toISOString().replace(/:00\.000Z$/, 'Z');
}

const localFormats = new Map<string, Intl.DateTimeFormat>();

/** The date that a wall calendar in the zone shows, as 2026-11-21. */
function localDate(ms: number, timeZone: string): string {
  let format = localFormats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' });
    localFormats.set(timeZone, format);
  }
  return format.format(ms);
}

/** The first date of the period that a date lies in, worked out on the calendar alone. */
function periodOf(period: BudgetPeriod, date: string): string {
  const day = new Date(`${date}T00:00:00Z`);
  if (period === 'MONTHLY') return `${date.slice(0, 7)}-01`;
  if (period === 'QUARTERLY') {
    const month = Math.floor(day.getUTCMonth() / 3) * 3 + 1;
    return `${date.slice(0, 4)}-${String(month).padStart(2, '0')}-01`;
  }
  if (period === 'WEEKLY') {
    while (day.getUTCDay() !== 1) day.setUTCDate(day.getUTCDate() - 1);
  }
  return day.toISOString().slice(0, 10);
}

test.each<[string, BudgetPeriod, string, string, string]>([
  ['a day', 'DAILY', '2026-11-21T23:44:05Z', 'UTC', '2026-11-21T00:00Z 2026-11-22T00:00Z'],
  [
    'a day east of UTC',
    'DAILY',
    '2026-11-21T23:44:05Z',
    'Asia/Tokyo',
    '2026-11-21T15:00Z 2026-11-22T15:00Z',
  ],
  [
    'half-hour zones',
    'DAILY',
    '2026-11-21T12:00:00Z',
    'Asia/Kolkata',
    '2026-11-20T18:30Z 2026-11-21T18:30Z',
  ],
  [
    '14 hours ahead',
    'DAILY',
    '2026-11-21T12:00:00Z',
    'Pacific/Kiritimati',
    '2026-11-21T10:00Z 2026-11-22T10:00Z',
  ],
  [
    'a day of 23 hours',
    'DAILY',
    '2026-03-29T12:00:00Z',
    'Europe/Berlin',
    '2026-03-28T23:00Z 2026-03-29T22:00Z',
  ],
  [
    'a day of 25 hours',
    'DAILY',
    '2026-10-25T12:00:00Z',
    'Europe/Berlin',
    '2026-10-24T22:00Z 2026-10-25T23:00Z',
  ],
  [
    'a change of half an hour',
    'DAILY',
    '2026-04-05T00:00:00Z',
    'Australia/Lord_Howe',
    '2026-04-04T13:00Z 2026-04-05T13:30Z',
  ],
  [
    'no midnight in São Paulo',
    'DAILY',
    '2018-11-04T12:00:00Z',
    'America/Sao_Paulo',
    '2018-11-04T03:00Z 2018-11-05T02:00Z',
  ],
  [
    'an hour repeated before midnight',
    'DAILY',
    '2018-02-18T02:30:00Z',
    'America/Sao_Paulo',
    '2018-02-17T02:00Z 2018-02-18T03:00Z',
  ],
  [
    'no midnight in Cairo',
    'DAILY',
    '2026-04-24T12:00:00Z',
    'Africa/Cairo',
    '2026-04-23T22:00Z 2026-04-24T21:00Z',
  ],
  [
    'no midnight in Beirut',
    'DAILY',
    '2026-03-29T12:00:00Z',
    'Asia/Beirut',
    '2026-03-28T22:00Z 2026-03-29T21:00Z',
  ],
  [
    'the day before a missing midnight',
    'DAILY',
    '2026-03-28T21:59:59Z',
    'Asia/Beirut',
    '2026-03-27T22:00Z 2026-03-28T22:00Z',
  ],
  [
    'midnight twice',
    'DAILY',
    '2026-11-01T04:30:00Z',
    'America/Havana',
    '2026-11-01T04:00Z 2026-11-02T05:00Z',
  ],
  [
    'the second midnight',
    'DAILY',
    '2026-11-01T05:30:00Z',
    'America/Havana',
    '2026-11-01T04:00Z 2026-11-02T05:00Z',
  ],
  [
    'a date that was skipped',
    'DAILY',
    '2011-12-30T09:59:59Z',
    'Pacific/Apia',
    '2011-12-29T10:00Z 2011-12-30T10:00Z',
  ],
  [
    'the date after it',
    'DAILY',
    '2011-12-30T10:00:00Z',
    'Pacific/Apia',
    '2011-12-30T10:00Z 2011-12-31T10:00Z',
  ],
  [
    'clocks back a minute after midnight',
    'DAILY',
    '2005-10-30T02:35:00Z',
    'America/St_Johns',
    '2005-10-30T02:30Z 2005-10-31T03:30Z',
  ],
  [
    'a week from Monday',
    'WEEKLY',
    '2026-11-22T23:59:59Z',
    'UTC',
    '2026-11-16T00:00Z 2026-11-23T00:00Z',
  ],
  ['Monday itself', 'WEEKLY', '2026-11-23T00:00:00Z', 'UTC', '2026-11-23T00:00Z 2026-11-30T00:00Z'],
  [
    'a week over the year',
    'WEEKLY',
    '2027-01-01T00:00:00Z',
    'UTC',
    '2026-12-28T00:00Z 2027-01-04T00:00Z',
  ],
  [
    'a week of 167 hours',
    'WEEKLY',
    '2026-03-25T00:00:00Z',
    'Europe/Berlin',
    '2026-03-22T23:00Z 2026-03-29T22:00Z',
  ],
  ['a month', 'MONTHLY', '2026-12-31T23:59:59Z', 'UTC', '2026-12-01T00:00Z 2027-01-01T00:00Z'],
  [
    'a month that ends elsewhere first',
    'MONTHLY',
    '2026-12-31T15:00:00Z',
    'Asia/Tokyo',
    '2026-12-31T15:00Z 2027-01-31T15:00Z',
  ],
  [
    'a leap February',
    'MONTHLY',
    '2028-02-29T12:00:00Z',
    'UTC',
    '2028-02-01T00:00Z 2028-03-01T00:00Z',
  ],
  [
    'a month with a change',
    'MONTHLY',
    '2026-03-15T00:00:00Z',
    'America/New_York',
    '2026-03-01T05:00Z 2026-04-01T04:00Z',
  ],
  ['a quarter', 'QUARTERLY', '2026-11-21T00:00:00Z', 'UTC', '2026-10-01T00:00Z 2027-01-01T00:00Z'],
  [
    'a quarter in summer time',
    'QUARTERLY',
    '2026-06-30T21:59:59Z',
    'Europe/Berlin',
    '2026-03-31T22:00Z 2026-06-30T22:00Z',
  ],
])('%s', (_what, period, instant, timeZone, expected) => {
  expect(window(period, instant, timeZone)).toBe(expected);
});

const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
const periods = fc.constantFrom(...BUDGET_PERIODS.filter((period) => period !== 'LIFETIME'));

test('a lifetime holds every instant', () => {
  const lifetime = windowAt({ period: 'LIFETIME' }, 1_800_000_000_000, 'UTC');
  expect(lifetime).toEqual({ startMs: 0, endMs: 253_402_300_799_000 });
  expect(windowAt({ period: 'LIFETIME' }, 1, 'Asia/Tokyo')).toEqual(lifetime);
});
const instants = fc.integer({ min: Date.UTC(1971, 0), max: Date.UTC(2060, 0) });

test('a window contains its instant, and its neighbours touch it without gap or overlap', () => {
  fc.assert(
    fc.property(periods, instants, zones, (period, instant, zone) => {
      const found = windowAt({ period }, instant, zone);
      expect(found.startMs).toBeLessThanOrEqual(instant);
      expect(found.endMs).toBeGreaterThan(instant);
      expect(windowAt({ period }, found.startMs, zone)).toEqual(found);
      expect(windowAt({ period }, found.endMs - 1, zone)).toEqual(found);
      expect(windowAt({ period }, found.endMs, zone).startMs).toBe(found.endMs);
      expect(windowAt({ period }, found.startMs - 1, zone).endMs).toBe(found.startMs);
    }),
    { numRuns: 400 },
  );
});

test('a window begins with the first instant that bears a date of its period', () => {
  fc.assert(
    fc.property(periods, instants, zones, (period, instant, zone) => {
      const { startMs } = windowAt({ period }, instant, zone);
      const before = periodOf(period, localDate(startMs - 1, zone));
      expect(before < periodOf(period, localDate(startMs, zone))).toBe(true);
    }),
    { numRuns: 400 },
  );
});

// Zones whose clocks change at or near midnight, by other than an hour, in Ramadan, or over the
// date line; each walked day by day over all of their changes since 2004.
test.each([
  'America/Sao_Paulo',
  'America/Santiago',
  'America/Asuncion',
  'America/Havana',
  'America/St_Johns',
  'America/Nuuk',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Asia/Beirut',
  'Asia/Gaza',
  'Asia/Tehran',
  'Asia/Pyongyang',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Antarctica/Troll',
])('in %s every date since 2004 has one day, and each begins where the last ended', (zone) => {
  const until = Date.UTC(2027, 0);
  let day = windowAt({ period: 'DAILY' }, Date.UTC(2004, 0), zone);
  let date = localDate(day.startMs, zone);
  const wrong: string[] = [];
  while (day.startMs < until) {
    const next = windowAt({ period: 'DAILY' }, day.endMs, zone);
    const nextDate = localDate(next.startMs, zone);
    const skipped = zone === 'Pacific/Apia' && nextDate === '2011-12-31' ? 1 : 0;
    const follows = Date.parse(nextDate) - Date.parse(date) === (1 + skipped) * DAY;
    const touches = next.startMs === day.endMs && localDate(day.endMs - 1, zone) === date;
    if (!follows || !touches) wrong.push(date);
    day = next;
    date = nextDate;
  }
  expect(wrong).toEqual([]);
});

test('a window is as long as its dates, but for the hours by which clocks change', () => {
  fc.assert(
    fc.property(instants, zones, (instant, zone) => {
      const day = windowAt({ period: 'DAILY' }, instant, zone);
      const hours = (day.endMs - day.startMs) / HOUR;
      // Zones that changed sides of the date line had a day of up to 48 hours.
      expect(hours).toBeGreaterThanOrEqual(20);
      expect(hours).toBeLessThanOrEqual(49);
      const week = windowAt({ period: 'WEEKLY' }, instant, zone);
      expect(Math.abs(week.endMs - week.startMs - 7 * DAY)).toBeLessThanOrEqual(DAY + HOUR);
    }),
    { numRuns: 400 },
  );
});

// Both changes of a year, north and south, and of half an hour. Every other day has 24 hours.
test.each([
  ['Europe/Berlin', ['2026-03-29 23', '2026-10-25 25']],
  ['America/Santiago', ['2026-04-04 25', '2026-09-06 23']],
  ['Pacific/Auckland', ['2026-04-05 25', '2026-09-27 23']],
  ['Australia/Lord_Howe', ['2026-04-05 24.5', '2026-10-04 23.5']],
  ['Asia/Beirut', ['2026-03-29 23', '2026-10-24 25']],
  ['Africa/Cairo', ['2026-04-24 23', '2026-10-29 25']],
  ['Asia/Kolkata', []],
])('in %s the days of 2026 that are longer or shorter are %j', (zone, expected) => {
  const found: string[] = [];
  let days = 0;
  let day = windowAt({ period: 'DAILY' }, Date.UTC(2025, 11, 31, 6), zone);
  while (localDate(day.startMs, zone) < '2027-01-01') {
    const hours = (day.endMs - day.startMs) / HOUR;
    if (hours !== 24) found.push(`${localDate(day.startMs, zone)} ${String(hours)}`);
    if (localDate(day.startMs, zone) >= '2026-01-01') days += 1;
    day = windowAt({ period: 'DAILY' }, day.endMs, zone);
  }
  expect(found).toEqual(expected);
  expect(days).toBe(365);
});

test('asking in any order gives the same windows', () => {
  fc.assert(
    fc.property(zones, fc.array(instants, { minLength: 20, maxLength: 20 }), (zone, list) => {
      const forward = list.map((instant) => windowAt({ period: 'DAILY' }, instant, zone));
      const backward = [...list]
        .reverse()
        .map((instant) => windowAt({ period: 'DAILY' }, instant, zone));
      expect(backward.reverse()).toEqual(forward);
    }),
    { numRuns: 30 },
  );
});

test('fixed windows are aligned to the epoch, whatever the zone', () => {
  expect(windowAt({ windowSeconds: 3600 }, 3_600_000, 'Asia/Kolkata')).toEqual({
    startMs: 3_600_000,
    endMs: 7_200_000,
  });
  expect(windowAt({ period: '', windowSeconds: 60 }, -1, 'UTC')).toEqual({
    startMs: -60_000,
    endMs: 0,
  });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000_000 }), instants, (windowSeconds, instant) => {
      const { startMs, endMs } = windowAt({ windowSeconds }, instant, 'UTC');
      expect(instant >= startMs && instant < endMs).toBe(true);
      expect(endMs - startMs).toBe(windowSeconds * 1000);
      expect(Math.abs(startMs % (windowSeconds * 1000))).toBe(0);
    }),
  );
});

test('a window without a length, at no instant or in no zone is refused', () => {
  for (const windowSeconds of [0, -1, 0.5, NaN]) {
    expect(() => windowAt({ windowSeconds }, 0, 'UTC')).toThrow(RangeError);
  }
  expect(() => windowAt({}, 0, 'UTC')).toThrow(RangeError);
  expect(() => windowAt({ windowSeconds: 60 }, NaN, 'UTC')).toThrow(RangeError);
  expect(() => windowAt({ period: 'DAILY' }, NaN, 'UTC')).toThrow(RangeError);
  expect(() => windowAt({ period: 'DAILY' }, 0, 'Mars/Olympus')).toThrow(RangeError);
});

test('zones are known by IANA names, not by offsets', () => {
  for (const zone of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Asia/Kolkata']) {
    expect(isTimeZone(zone)).toBe(true);
  }
  for (const zone of ['', 'Mars/Olympus', '+01:00', '-08', 'Europe/Berlin ', 'UTC+1']) {
    expect(isTimeZone(zone)).toBe(false);
  }
});
