import { instantIn, localIn } from './zoned';

test.each([
  ['2026-01-15T12:00', 'UTC', '2026-01-15T12:00:00.000Z'],
  ['2026-01-15T12:00:30', 'Europe/Berlin', '2026-01-15T11:00:30.000Z'],
  ['2026-07-15T12:00', 'Europe/Berlin', '2026-07-15T10:00:00.000Z'],
  ['2026-01-15T00:00', 'America/New_York', '2026-01-15T05:00:00.000Z'],
  ['2026-01-15T12:00', 'Asia/Kathmandu', '2026-01-15T06:15:00.000Z'],
  // Comes twice: the first of the two.
  ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
  // Skipped: the same time after the change.
  ['2026-03-29T02:30', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
  ['soon', 'UTC', 'soon'],
])('%s in %s is %s', (local, timeZone, instant) => {
  expect(instantIn(local, timeZone)).toBe(instant);
});

test.each(['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'])(
  'an instant comes back from its local time in %s',
  (timeZone) => {
    for (const instant of ['2026-01-15T12:34:56.000Z', '2026-07-01T00:00:00.123Z']) {
      expect(instantIn(localIn(instant, timeZone), timeZone)).toBe(instant);
    }
  },
);
