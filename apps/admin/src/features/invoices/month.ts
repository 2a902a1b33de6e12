const NAMES = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** "2026-10" → "October 2026". */
export function monthName(month: string): string {
  return NAMES.format(new Date(`${month}-01T00:00:00Z`));
}

/** The previous month in the time zone, which is billed next. */
export function monthBefore(nowMs: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-US', { year: 'numeric', month: 'numeric', timeZone });
  const part = (type: string): number =>
    Number(parts.formatToParts(nowMs).find((one) => one.type === type)?.value);
  // `Date` counts months from 0, so the same number is the previous month.
  return new Date(Date.UTC(part('year'), part('month') - 2)).toISOString().slice(0, 7);
}

/** The latest months, including the current one, newest first. */
export function latestMonths(nowMs: number, timeZone: string, count: number): string[] {
  const before = Date.parse(`${monthBefore(nowMs, timeZone)}-01T00:00:00Z`);
  const first = new Date(before);
  return Array.from({ length: count }, (_, index) =>
    new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1 - index))
      .toISOString()
      .slice(0, 7),
  );
}

/** The offered months plus the valid month of the URL. */
export function withMonth(months: readonly string[], named: string | null): readonly string[] {
  if (named === null || months.includes(named)) return months;
  return /^(19[7-9]\d|[2-9]\d{3})-(0[1-9]|1[0-2])$/.test(named) ? [...months, named] : months;
}
