import { rest } from '@tollgate/contracts';

import type { Get, ListInput } from '../../resource/list-input';
import { recordsInput, type UsageState } from './state';

// The export of the list's requests.

const DAY_MS = 86_400_000;

export interface Export {
  /** A path below the console's own `/api`. */
  readonly href: string;
  /** Whether filters exclude some requests of the period. */
  readonly filtered: boolean;
  /** Whether the period exceeds the maximum of one file. */
  readonly tooLong: boolean;
}

/** The export of all requests that match the list's filters. */
export function exportOf(organisationId: string, state: UsageState, get: Get): Export {
  const { shape } = rest.exportUsageRecords.query;
  const more: Record<string, string> = {};
  for (const name of ['httpStatus', 'errorCode', 'clientRequestId'] as const) {
    const value = get(name);
    if (value !== undefined && shape[name].safeParse(value).success) more[name] = value;
  }
  const { from, to, ...filters } = { ...recordsInput(state), ...more };
  const query: ListInput = { from, to, ...filters };
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]) => [name, String(value)]),
  );
  const path = rest.fillPath(rest.exportUsageRecords.path, { organisationId });
  const { startMs, endMs } = state.span;
  return {
    filtered: Object.keys(filters).length > 0,
    href: `${path}?${search.toString()}`,
    tooLong: endMs - startMs > rest.USAGE_EXPORT_DAYS * DAY_MS,
  };
}
