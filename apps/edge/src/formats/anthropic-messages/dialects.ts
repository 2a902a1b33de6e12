// The differences between providers of the messages format. A difference is a column, a dialect a row.
// The row of a provider type in contracts names its dialect.

import { vendorByType, type DialectNames, type ProviderType } from '@tollgate/contracts';

export interface Dialect {
  /**
   * Refuses blocks that it cannot have written: reasoning without a signature, citations without a
   * seal. Compatible servers write such blocks and accept them back.
   */
  sealed: boolean;
}

const DIALECTS: Readonly<Record<DialectNames['anthropic-messages'], Dialect>> = {
  anthropic: { sealed: true },
  compatible: { sealed: false },
};

export function dialectOf(type: ProviderType): Dialect {
  return DIALECTS[vendorByType(type).dialects['anthropic-messages']];
}
