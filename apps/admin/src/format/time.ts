import { keepLatest, withoutMarks } from './locale';

// Instants are shown in the organisation's time zone, like its budgets and reports, and in the
// viewer's locale. Server and browser produce the same text, whatever their own zone and language.
// Months and halves of the day have names in English only, so other languages get numbers: 29.03.2026, 13:05 in German.

type Parts = Intl.DateTimeFormatOptions;

const DAY = { day: 'numeric', month: 'short' } as const;
const CLOCK = { hour: 'numeric', minute: '2-digit' } as const;
const FORMATS = {
  day: DAY,
  date: { ...DAY, year: 'numeric' },
  month: { month: 'short', year: 'numeric' },
  monthName: { month: 'long', year: 'numeric' },
  hour: CLOCK,
  minute: { ...DAY, ...CLOCK },
  moment: { ...DAY, ...CLOCK, second: '2-digit' },
} as const satisfies Record<string, Parts>;
export type TimeFormat = keyof typeof FORMATS;

const NUMERIC: Parts = { day: '2-digit', month: '2-digit' };

const formatter = keepLatest((locale, name) => {
  const [format = '', timeZone = ''] = name.split(' ');
  const { parts, language } = inWords(FORMATS[format as TimeFormat], locale);
  return new Intl.DateTimeFormat(language, {
    ...parts,
    timeZone,
    // As in the API, in date fields and in files.
    calendar: 'gregory',
    numberingSystem: 'latn',
  });
});

function inWords(parts: Parts, locale: string): { parts: Parts; language: string } {
  if (/^en\b/.test(locale)) return { parts, language: locale };
  const clock: Parts = 'hour' in parts ? { hourCycle: 'h23' } : {};
  if (parts.month === undefined) return { parts: { ...parts, ...clock }, language: locale };
  // A month without a day reads alike everywhere.
  if (parts.day === undefined) return { parts, language: 'en' };
  return { parts: { ...parts, ...NUMERIC, ...clock }, language: locale };
}

export function showTime(instant: string | number, format: TimeFormat, timeZone: string): string {
  return withoutMarks(formatter(`${format} ${timeZone}`).format(new Date(instant)));
}

/** The time zone of this computer. */
export function ownTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** What a clock on the wall in the time zone shows, as milliseconds of a date in UTC; whole seconds. */
export function wallClockMs(ms: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(ms);
  const part = (type: string): number =>
    Number(parts.find((candidate) => candidate.type === type)?.value);
  return Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  );
}
