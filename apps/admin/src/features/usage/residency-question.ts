import { rest } from '@tollgate/contracts';
import type { z } from 'zod';

import { regionsOf } from '../../resource/typed';
import { ignoredBy } from './ignored-filters';
import { onlyFilters } from './list-inputs';
import { asQuery, isLongerThan } from './range';
import { OBJECT_FILTERS, type UsageState } from './state';

// What the report of regions asks.

export interface ResidencyQuestion {
  readonly query: z.input<typeof rest.getResidencyReport.query>;
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
  const query = {
    ...asQuery(state.span),
    ...onlyFilters(state.filters, OBJECT_FILTERS),
    regions: regions.join(','),
  };
  const path = rest.fillPath(rest.exportResidencyReport.path, { organisationId });
  return {
    query,
    csv: `${path}?${new URLSearchParams(query).toString()}`,
    ignored: ignoredBy(OBJECT_FILTERS, state.filters),
  };
}

export function isTooLong({ span }: UsageState): boolean {
  return isLongerThan(span, rest.RESIDENCY_DAYS);
}
