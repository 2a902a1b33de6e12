import type { rest } from '@tollgate/contracts';

// The rows of the live list, bounded. Pure.

/** Rows in the table; older ones are dropped. The list by pages has all of them. */
export const LIVE_SHOWN = 100;

type Row = rest.UsageRecord;

export interface LiveRows {
  readonly rows: readonly Row[];
  /** New rows that are held back, newest first. */
  readonly waiting: readonly Row[];
  /** Rows that came while others were held back, with those that no longer fit. */
  readonly waitingCount: number;
  /** More was booked than the stream sends. */
  readonly missed: boolean;
}

export const NO_ROWS: LiveRows = { rows: [], waiting: [], waitingCount: 0, missed: false };

/** Adds new rows on top, or holds them back. */
export function withArrived(
  live: LiveRows,
  { data, more }: Pick<rest.LiveRecords, 'data' | 'more'>,
  hold: boolean,
): LiveRows {
  const known = new Set([...live.rows, ...live.waiting].map(({ id }) => id));
  const fresh = data.filter(({ id }) => !known.has(id));
  const missed = live.missed || more;
  if (fresh.length === 0) return missed === live.missed ? live : { ...live, missed };
  const held = {
    ...live,
    waiting: [...fresh, ...live.waiting].slice(0, LIVE_SHOWN),
    waitingCount: live.waitingCount + fresh.length,
    missed,
  };
  return hold ? held : withShown(held);
}

/** Moves the rows that were held back into the table. */
export function withShown(live: LiveRows): LiveRows {
  if (live.waiting.length === 0) return live;
  return {
    rows: [...live.waiting, ...live.rows].slice(0, LIVE_SHOWN),
    waiting: [],
    waitingCount: 0,
    missed: live.missed,
  };
}
