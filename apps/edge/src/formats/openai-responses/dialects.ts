// Where providers of the responses format differ in what they take of it. A difference is a column, a
// provider type a row.

import type { ProviderType } from '@tollgate/contracts';

export interface Dialect {
  /** Hands reasoning out sealed, and takes back only what it sealed itself. */
  sealed: boolean;
  /** Takes `stop`, `seed`, `top_k` and `logit_bias`, which are not of the format proper. */
  sampling: boolean;
  /** Takes sound as input. */
  audio: boolean;
  /** Knows the `developer` role. */
  developerRole: boolean;
}

const VENDORS_OWN: Dialect = { sealed: true, sampling: false, audio: false, developerRole: true };

const COMPATIBLE_SERVER: Dialect = {
  sealed: false,
  sampling: true,
  audio: true,
  developerRole: false,
};

export const DIALECTS: Readonly<Record<ProviderType, Dialect>> = {
  PROVIDER_A: VENDORS_OWN,
  PROVIDER_B: VENDORS_OWN,
  PROVIDER_C: VENDORS_OWN,
  PROVIDER_D: COMPATIBLE_SERVER,
  PROVIDER_F: VENDORS_OWN,
  CUSTOM: COMPATIBLE_SERVER,
};
