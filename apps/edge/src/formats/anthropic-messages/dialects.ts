// Where providers of the messages format differ in what they take of it. A difference is a column, a
// provider type a row.

import type { ProviderType } from '@tollgate/contracts';

export interface Dialect {
  /**
   * Refuses what it cannot have written itself: reasoning without a signature, citations without
   * their seal. Servers that only speak the format write such blocks, and want them back.
   */
  sealed: boolean;
}

const VENDORS_OWN: Dialect = { sealed: true };
const COMPATIBLE_SERVER: Dialect = { sealed: false };

export const DIALECTS: Readonly<Record<ProviderType, Dialect>> = {
  PROVIDER_A: COMPATIBLE_SERVER,
  PROVIDER_B: VENDORS_OWN,
  PROVIDER_C: COMPATIBLE_SERVER,
  PROVIDER_D: COMPATIBLE_SERVER,
  PROVIDER_F: COMPATIBLE_SERVER,
  CUSTOM: COMPATIBLE_SERVER,
};
