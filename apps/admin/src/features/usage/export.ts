import { rest } from '@tollgate/contracts';
import type { Get, ListInput } from '../../resource/list-input';
import { recordsInput, type UsageState } from './state';

// The requests of the list as a file.

const DAY_MS = 86_400_000;

export type Export = {
  /** Of the console's own `/api`. */
  readonly href: string;
  /** Whether it leaves out some of the span's requests. */
  readonly filtered: boolean;
  /** Whether the span is longer than one file covers. */
  readonly tooLong: boolean;
};

/** The file with the requests that the list shows on all its pages. */
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
