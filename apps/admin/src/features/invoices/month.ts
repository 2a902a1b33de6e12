import { showTime, wallClockMs } from '../../format/time';

/** "2026-10" → "October 2026". */
export function monthName(month: string): string {
  return showTime(`${month}-01T00:00:00Z`, 'monthName', 'UTC');
}

/** The previous month in the time zone, which is billed next. */
export function monthBefore(nowMs: number, timeZone: string): string {
  const now = new Date(wallClockMs(nowMs, timeZone));
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1)).toISOString().slice(0, 7);
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
