import { windowAt, type rest } from '@tollgate/contracts';

// This month and the one before it, in the organisation's calendar. Pure.

export interface TwoMonths {
  /** Instants of the starts of both months, and the end of this one. */
  readonly lastFrom: string;
  readonly thisFrom: string;
  readonly to: string;
}

const MONTH = { period: 'MONTHLY' } as const;

export function twoMonths(nowMs: number, timeZone: string): TwoMonths {
  const { startMs, endMs } = windowAt(MONTH, nowMs, timeZone);
  const last = windowAt(MONTH, startMs - 1, timeZone);
  const at = (ms: number): string => new Date(ms).toISOString();
  return { lastFrom: at(last.startMs), thisFrom: at(startMs), to: at(endMs) };
}

type Sums = Pick<rest.UsageMeasures, 'cacheSavedUsd' | 'costUsd' | 'requests' | 'routingSavedUsd'>;

const NOTHING: Sums = {
  cacheSavedUsd: '0',
  costUsd: '0',
  requests: 0,
  routingSavedUsd: '0',
};

/** The sums of both months; a month without usage is not in the series. */
export function monthSums(
  { thisFrom, lastFrom }: TwoMonths,
  series: rest.UsageExploration['series'],
): { readonly now: Sums; readonly last: Sums } {
  const of = (from: string): Sums =>
    series.find(({ start }) => Date.parse(start) === Date.parse(from))?.measures ?? NOTHING;
  return { now: of(thisFrom), last: of(lastFrom) };
}
