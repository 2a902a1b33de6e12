import { wallClockMs } from '../../format/time';

// Local times in the format of date fields, "2026-03-29T02:30:00", in the organisation's time zone.

const SECOND_MS = 1_000;

/**
 * The instant of a local time. A skipped hour in spring means the hour after it, a repeated hour in
 * autumn the first one. Invalid text is returned unchanged, for the server to refuse.
 */
export function instantIn(local: string, timeZone: string): string {
  const wallMs = Date.parse(`${local}Z`);
  if (Number.isNaN(wallMs)) return local;
  const day = 86_400_000;
  // The offsets before and after a nearby clock change.
  const [before, after] = [wallMs - day, wallMs + day].map((ms) => offsetMs(ms, timeZone));
  const candidates = [wallMs - (before ?? 0), wallMs - (after ?? 0)];
  const exact = candidates.filter((ms) => ms + offsetMs(ms, timeZone) === wallMs);
  const chosen = exact.length > 0 ? Math.min(...exact) : Math.max(...candidates);
  return new Date(chosen).toISOString();
}

/** An instant as local time, with milliseconds. */
export function localIn(instant: string, timeZone: string): string {
  const ms = Date.parse(instant);
  return new Date(ms + offsetMs(ms, timeZone)).toISOString().replace(/(\.000)?Z$/, '');
}

/** The offset of a zone from UTC at an instant. */
function offsetMs(ms: number, timeZone: string): number {
  return wallClockMs(ms, timeZone) - Math.floor(ms / SECOND_MS) * SECOND_MS;
}
