// Where providers of the messages format differ in what they take of it. A difference is a
// column, a dialect a row. Which dialect a provider type takes is a fact of its row in contracts.

import { type DialectNames, type ProviderType, vendorByType } from '@tollgate/contracts';

export interface Dialect {
  /**
   * Refuses what it cannot have written itself: reasoning without a signature, citations without
   * their seal. Servers that only speak the format write such blocks, and want them back.
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
