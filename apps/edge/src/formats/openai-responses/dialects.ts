// The differences between providers of the responses format. A difference is a column, a dialect a row.
// The row of a provider type in contracts names its dialect.

import { vendorByType, type DialectNames, type ProviderType } from '@tollgate/contracts';

import type { Demands } from '../fitted-request';
import { PLAIN_EFFORTS } from '../openai-efforts';
import { DEMANDS } from '../target-demands';
import type { Effort } from '../thinking-efforts';

export interface Dialect {
  /** Its demands on tool names and schemas. */
  demands: Demands;
  /** Seals its reasoning, and accepts only its own seals. */
  sealed: boolean;
  /** Accepts `stop`, `seed`, `top_k` and `logit_bias`, which the vendor's own format does not have. */
  sampling: boolean;
  /** Accepts audio input. */
  audio: boolean;
  /** Knows the `developer` role. */
  developerRole: boolean;
  /** Refuses JSON mode unless the conversation mentions JSON. */
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
