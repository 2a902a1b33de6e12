// When a limit's window starts and ends: calendar periods in an organisation's zone, or a fixed
// number of seconds counted from the epoch.
import type { BudgetPeriod } from './enums';

export interface Window {
  readonly startMs: number;
  /** Exclusive. */
  readonly endMs: number;
}

type CalendarPeriod = Exclude<BudgetPeriod, 'LIFETIME'>;

export interface WindowSpec {
  readonly period?: BudgetPeriod | '' | undefined;
  readonly windowSeconds?: number | undefined;
}

/** The end of a window that holds every instant: the last second of the year 9999. */
export const LIFETIME_END_MS = 253_402_300_799_000;
const LIFETIME: Window = { startMs: 0, endMs: LIFETIME_END_MS };

/**
 * The window that contains an instant. A day starts at the first instant with its date or a later
 * one, so windows tile time wherever clocks change; weeks start on Monday.
 */
export function windowAt(spec: WindowSpec, instantMs: number, timeZone: string): Window {
  const { period, windowSeconds = 0 } = spec;
  if (period === undefined || period === '') return fixedWindow(windowSeconds, instantMs);
  if (period === 'LIFETIME') return LIFETIME;
  const recent = recentWindows(period, timeZone);
  for (const window of recent) {
    if (instantMs >= window.startMs && instantMs < window.endMs) return window;
  }
  const window = calendarWindow(period, instantMs, timeZone);
  recent.unshift(window);
  if (recent.length > WINDOWS_KEPT) recent.pop();
  return window;
}

/** Whether this is a zone name. Bare offsets are not: databases disagree about their sign. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    clockOf(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function fixedWindow(seconds: number, instantMs: number): Window {
  if (!Number.isSafeInteger(seconds) || seconds <= 0) {
    throw new RangeError('a window has a period or a positive number of seconds');
  }
  if (!Number.isFinite(instantMs)) throw new RangeError('an instant is a number of milliseconds');
  const lengthMs = seconds * 1000;
  const startMs = Math.floor(instantMs / lengthMs) * lengthMs;
  return { startMs, endMs: startMs + lengthMs };
}

// Computing a window takes some hundred microseconds, and nearly every call asks for the current
// one: each period and zone caches its latest windows.
const WINDOWS_KEPT = 8;
const ZONES_KEPT = 1000;
const recentByPeriod = new Map<CalendarPeriod, Map<string, Window[]>>();

function recentWindows(period: CalendarPeriod, timeZone: string): Window[] {
  let byZone = recentByPeriod.get(period);
  if (byZone === undefined) recentByPeriod.set(period, (byZone = new Map()));
  let recent = byZone.get(timeZone);
  if (recent === undefined) {
    if (byZone.size >= ZONES_KEPT) byZone.clear();
    byZone.set(timeZone, (recent = []));
  }
  return recent;
}

function calendarWindow(period: CalendarPeriod, instantMs: number, timeZone: string): Window {
  const clock = clockOf(timeZone);
  let first = firstDay(period, instantMs + clock.offsetAt(instantMs));
  let startMs = startOfDay(first, clock);
  // Where clocks go back over midnight, an instant has the date before its day.
  while (instantMs < startMs) {
    first = firstDay(period, first - DAY_MS);
    startMs = startOfDay(first, clock);
  }
  for (;;) {
    const next = nextFirstDay(period, first);
    const endMs = startOfDay(next, clock);
    if (instantMs < endMs) return { startMs, endMs };
    first = next;
    startMs = endMs;
  }
}

// Dates are kept as the UTC instant of their midnight.
const DAY_MS = 86_400_000;

function firstDay(period: CalendarPeriod, localMs: number): number {
  const date = new Date(localMs);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  const day = date.getUTCDate();
  switch (period) {
    case 'DAILY':
      return Date.UTC(year, month, day);
    case 'WEEKLY':
      return Date.UTC(year, month, day - ((date.getUTCDay() + 6) % 7));
    case 'MONTHLY':
      return Date.UTC(year, month);
    case 'QUARTERLY':
      return Date.UTC(year, month - (month % 3));
  }
}

function nextFirstDay(period: CalendarPeriod, first: number): number {
  const date = new Date(first);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  switch (period) {
    case 'DAILY':
      return first + DAY_MS;
    case 'WEEKLY':
      return first + 7 * DAY_MS;
    case 'MONTHLY':
      return Date.UTC(year, month + 1);
    case 'QUARTERLY':
      return Date.UTC(year, month + 3);
  }
}

interface Clock {
  /** Local time minus UTC, in ms. */
  offsetAt(instantMs: number): number;
}

const HOUR_MS = 3_600_000;
// No zone has ever been further from UTC, and none changes twice within a step.
const FARTHEST_MS = 16 * HOUR_MS;
const STEP_MS = 4 * HOUR_MS;

/** The first instant whose local time is this midnight or later. */
function startOfDay(midnight: number, clock: Clock): number {
  const until = midnight + FARTHEST_MS;
  let from = midnight - FARTHEST_MS;
  let offset = clock.offsetAt(from);
  while (from < until) {
    const to = from + STEP_MS;
    const offsetThen = clock.offsetAt(to);
    const change = offset === offsetThen ? to : changeBetween(from, to, clock);
    if (midnight - offset < change) return Math.max(from, midnight - offset);
    if (midnight - offsetThen < to) return Math.max(change, midnight - offsetThen);
    from = to;
    offset = offsetThen;
  }
  throw new RangeError(`no instant starts the day ${new Date(midnight).toISOString()}`);
}

/** The first instant after `from` that has the offset of `to`. */
function changeBetween(from: number, to: number, clock: Clock): number {
  const after = clock.offsetAt(to);
  let before = from;
  let reached = to;
  while (reached - before > 1) {
    const middle = Math.floor((before + reached) / 2);
    if (clock.offsetAt(middle) === after) reached = middle;
    else before = middle;
  }
  return reached;
}

const clocks = new Map<string, Clock>();

function clockOf(timeZone: string): Clock {
  let clock = clocks.get(timeZone);
  if (clock === undefined) {
    clock = createClock(timeZone);
    if (clocks.size >= ZONES_KEPT) clocks.clear();
    clocks.set(timeZone, clock);
  }
  return clock;
}

function createClock(timeZone: string): Clock {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return {
    offsetAt(instantMs) {
      const wholeSeconds = Math.floor(instantMs / 1000) * 1000;
      // en-US writes "11/21/2026, 23:44:05".
      const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = format
        .format(wholeSeconds)
        .split(/\D+/)
        .map(Number);
      return Date.UTC(year, month - 1, day, hour, minute, second) - wholeSeconds;
    },
  };
}
