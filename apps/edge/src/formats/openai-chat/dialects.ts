// The differences between providers of the chat-completions format. A difference is a column, a dialect a
// row. The row of a provider type in contracts names its dialect.

import { vendorByType, type DialectNames, type ProviderType } from '@tollgate/contracts';

import type { Demands } from '../fitted-request';
import { PLAIN_EFFORTS } from '../openai-efforts';
import { DEMANDS } from '../target-demands';
import type { Effort } from '../thinking-efforts';

export interface Dialect {
  /** Its demands on tool names and schemas. */
  demands: Demands;
  /** The field for the output bound when the client gave none. */
  outputBound: 'max_tokens' | 'max_completion_tokens';
  /** Accepts `top_k`, which the vendor's own format does not have. */
  topK: boolean;
  /** Accepts the model's earlier reasoning as `reasoning_content`. */
  reasoning: boolean;
  /** Knows the `developer` role. */
  developerRole: boolean;
  /** Metadata must be a map of strings to strings. */
  textMetadata: boolean;
  /** Accepts parameters that the vendor added after other servers had adopted the format. */
  additions: boolean;
  /** Refuses JSON mode unless the conversation mentions JSON. */
  mentionsJson: boolean;
  /** Knows or ignores cache marks; other providers refuse them. */
  cacheMarks: boolean;
  /** Knows or ignores the `thinking` field of the messages format; other providers get an effort. */
  thinkingField: boolean;
  /** Thinking is turned off by a chat template argument instead of the effort `none`. */
  thinkingSwitch: boolean;
  /** The efforts that it accepts for every model; absent: they depend on the model. */
  efforts?: readonly Effort[];
}

const VENDORS_OWN: Dialect = {
  demands: DEMANDS.openai,
  outputBound: 'max_completion_tokens',
  topK: false,
  reasoning: false,
  developerRole: true,
  textMetadata: true,
  additions: true,
  mentionsJson: true,
  cacheMarks: false,
  thinkingField: false,
  thinkingSwitch: false,
};

const COMPATIBLE_SERVER: Dialect = {
  demands: DEMANDS.openaiCompatible,
  outputBound: 'max_tokens',
  topK: true,
  reasoning: true,
  developerRole: false,
  textMetadata: false,
  additions: false,
  mentionsJson: false,
  cacheMarks: true,
  thinkingField: true,
  thinkingSwitch: false,
};

const DIALECTS: Readonly<Record<DialectNames['openai-chat'], Dialect>> = {
  openai: VENDORS_OWN,
  vllm: {
    ...COMPATIBLE_SERVER,
    demands: DEMANDS.vllm,
    thinkingField: false,
    thinkingSwitch: true,
    efforts: PLAIN_EFFORTS,
  },
  compatible: COMPATIBLE_SERVER,
};

export function dialectOf(type: ProviderType): Dialect {
  return DIALECTS[vendorByType(type).dialects['openai-chat']];
}
