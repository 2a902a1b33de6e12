// Where providers of the responses format differ in what they take of it. A difference is a column, a
// provider type a row.

import type { ProviderType } from '@tollgate/contracts';
import type { Demands } from '../fitted-request';
import { DEMANDS } from '../target-demands';

export interface Dialect {
  /** What it takes of names and schemas. */
  demands: Demands;
  /** Hands reasoning out sealed, and takes back only what it sealed itself. */
  sealed: boolean;
  /** Takes `stop`, `seed`, `top_k` and `logit_bias`, which are not of the format proper. */
  sampling: boolean;
  /** Takes sound as input. */
  audio: boolean;
  /** Knows the `developer` role. */
  developerRole: boolean;
  /** Refuses its mode for JSON to a conversation that never says the word. */
  mentionsJson: boolean;
}

const VENDORS_OWN: Dialect = {
  demands: DEMANDS.openai,
  sealed: true,
  sampling: false,
  audio: false,
  developerRole: true,
  mentionsJson: true,
};

const COMPATIBLE_SERVER: Dialect = {
  demands: DEMANDS.openaiCompatible,
  sealed: false,
  sampling: true,
  audio: true,
  developerRole: false,
  mentionsJson: false,
};

export const DIALECTS: Readonly<Record<ProviderType, Dialect>> = {
  PROVIDER_A: VENDORS_OWN,
  PROVIDER_B: VENDORS_OWN,
  PROVIDER_C: VENDORS_OWN,
  PROVIDER_D: { ...COMPATIBLE_SERVER, demands: DEMANDS.vllm },
  PROVIDER_F: VENDORS_OWN,
  CUSTOM: COMPATIBLE_SERVER,
};
