import { rest } from '@tollgate/contracts';

import { regionsOf } from '../../resource/typed';
import { asQuery } from './range';
import type { UsageState } from './state';

// What the report of regions asks.

const DAY_MS = 86_400_000;

export interface ResidencyQuestion {
  readonly query: ReturnType<typeof queryOf>;
  /** A path below the console's own `/api`. */
  readonly csv: string;
  /** Filters that the report does not have, as words. */
  readonly ignored: readonly string[];
}

/** `typed`: the regions. Undefined: none are typed, or the period is too long for one report. */
export function residencyQuestion(
  organisationId: string,
  state: UsageState,
  typed: string,
): ResidencyQuestion | undefined {
  const regions = regionsOf(typed);
  if (regions.length === 0 || isTooLong(state)) return undefined;
  const query = queryOf(state, regions);
  const { operation, region, status } = state.filters;
  return {
    query,
    csv: `${rest.fillPath(rest.exportResidencyReport.path, { organisationId })}?${new URLSearchParams(query).toString()}`,
    ignored: [
      ...(operation === undefined ? [] : ['operation']),
      ...(region === undefined ? [] : ['region']),
      ...(status === undefined ? [] : ['result']),
    ],
  };
}

export function isTooLong({ span: { startMs, endMs } }: UsageState): boolean {
  return endMs - startMs > rest.RESIDENCY_DAYS * DAY_MS;
}

function queryOf({ span, filters }: UsageState, regions: readonly string[]) {
  const { operation: _operation, region: _region, status: _status, ...owners } = filters;
  return { ...asQuery(span), ...owners, regions: regions.join(',') };
}
