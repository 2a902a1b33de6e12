// Where providers of the responses format differ in what they take of it. A difference is a
// column, a dialect a row. Which dialect a provider type takes is a fact of its row in contracts.

import { type DialectNames, type ProviderType, vendorByType } from '@tollgate/contracts';
import type { Demands } from '../fitted-request';
import { PLAIN_EFFORTS } from '../openai-efforts';
import { DEMANDS } from '../target-demands';
import type { Effort } from '../thinking-efforts';

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
  /** The efforts that it accepts for every model; absent: they depend on the model. */
  efforts?: readonly Effort[];
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

const DIALECTS: Readonly<Record<DialectNames['openai-responses'], Dialect>> = {
  openai: VENDORS_OWN,
  vllm: { ...COMPATIBLE_SERVER, demands: DEMANDS.vllm, efforts: PLAIN_EFFORTS },
  compatible: COMPATIBLE_SERVER,
};

export function dialectOf(type: ProviderType): Dialect {
  return DIALECTS[vendorByType(type).dialects['openai-responses']];
}
