// Times of day as the browser's fields hold them, "2026-03-29T02:30:00", in the organisation's zone.

const SECOND_MS = 1_000;

/**
 * The instant that a local time means in a zone. In the hour that is skipped in spring it is the one
 * after it, of an hour that comes twice in autumn the first. What is no time is given back as it is,
 * for the server to refuse.
 */
export function instantIn(local: string, timeZone: string): string {
  const wallMs = Date.parse(`${local}Z`);
  if (Number.isNaN(wallMs)) return local;
  const day = 86_400_000;
  // The zone's offsets before and after whatever change is near.
  const [before, after] = [wallMs - day, wallMs + day].map((ms) => offsetMs(ms, timeZone));
  const candidates = [wallMs - (before ?? 0), wallMs - (after ?? 0)];
  const exact = candidates.filter((ms) => ms + offsetMs(ms, timeZone) === wallMs);
  const chosen = exact.length > 0 ? Math.min(...exact) : Math.max(...candidates);
  return new Date(chosen).toISOString();
}

/** An instant as a local time of a zone, to the millisecond. */
export function localIn(instant: string, timeZone: string): string {
  const ms = Date.parse(instant);
  return new Date(ms + offsetMs(ms, timeZone)).toISOString().replace(/(\.000)?Z$/, '');
}

/** How far a zone is ahead of UTC at an instant. */
function offsetMs(ms: number, timeZone: string): number {
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
  const wall = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  );
  return wall - Math.floor(ms / SECOND_MS) * SECOND_MS;
}
