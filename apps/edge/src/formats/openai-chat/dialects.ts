// Where providers of the chat-completions format differ in what they take of it. A difference is a
// column, a dialect a row. Which dialect a provider type takes is a fact of its row in contracts.

import { type DialectNames, type ProviderType, vendorByType } from '@tollgate/contracts';
import type { Demands } from '../fitted-request';
import { PLAIN_EFFORTS } from '../openai-efforts';
import { DEMANDS } from '../target-demands';
import type { Effort } from '../thinking-efforts';

export interface Dialect {
  /** What it takes of names and schemas. */
  demands: Demands;
  /** The field for the output bound when the client gave none. */
  outputBound: 'max_tokens' | 'max_completion_tokens';
  /** Takes `top_k`, which is not of the format proper. */
  topK: boolean;
  /** Takes the model's earlier reasoning back as `reasoning_content`. */
  reasoning: boolean;
  /** Knows the `developer` role. */
  developerRole: boolean;
  /** Metadata must be a map of text to text. */
  textMetadata: boolean;
  /** Takes what the vendor added to the format after others had taken it up. */
  additions: boolean;
  /** Refuses its mode for JSON to a conversation that never says the word. */
  mentionsJson: boolean;
  /** Passes over marks of what is to be cached, or knows them; others refuse them. */
  cacheMarks: boolean;
  /** Knows `thinking` as the messages format has it, or passes over it; others are told an effort. */
  thinkingField: boolean;
  /** Is kept from thinking by an argument of the chat template instead of an effort of `none`. */
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
