import { isValueCounter } from '@tollgate/contracts';

import type { Touched } from './entry';
import type { StoredLimitValue } from './usage-record.entity';

/** The counters of values among those that a close names. */
export function valuesTouched(touched: readonly Touched[]): Touched[] {
  return touched.filter(({ limitId }) => isValueCounter(limitId));
}

/** As a record keeps them, because corrections name only the request. Null: none. */
export function storedValuesOf(touched: readonly Touched[]): string | null {
  const values = valuesTouched(touched);
  if (values.length === 0) return null;
  const stored = values.map(({ limitId, startMs, endMs }): StoredLimitValue => [
    limitId,
    startMs,
    endMs,
  ]);
  return JSON.stringify(stored);
}
