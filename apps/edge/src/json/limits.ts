// Limits of JSON from outside. The configuration limits bytes; these limits bound what the bytes
// expand to.

import type { JsonLimits } from './scan';

/**
 * A request's body. A conversation of ten thousand messages fits, as do the token ids of a full
 * batch of embeddings.
 */
export const REQUEST_LIMITS = {
  containers: 65_536,
  values: 524_288,
  fields: 4_096,
} as const satisfies Omit<JsonLimits, 'depth'>;

/**
 * A provider's answer. The log probabilities of a long answer fit, as do the numbers of a batch of
 * embeddings.
 */
export const ANSWER_LIMITS: JsonLimits = {
  containers: 262_144,
  values: 16_777_216,
  fields: 4_096,
  depth: 128,
};

/** One event of a provider's stream. */
export const EVENT_LIMITS: JsonLimits = {
  containers: 65_536,
  values: 1_048_576,
  fields: 4_096,
  depth: 128,
};

/** Limits of lists in a request. */
export const LIST_LIMITS = {
  /** Messages, or input items. */
  messages: 16_384,
  /** Parts of one message, and all lists without their own limit. */
  parts: 4_096,
  tools: 1_024,
  /** Token ids: a full batch of embeddings or completions. */
  tokenIds: 524_288,
} as const;

/** Smaller answers and events are limited by their size alone. */
export const MEASURED_FROM_BYTES = 64 * 1024;

/** Larger documents are parsed in a worker thread. */
export const OFF_LOOP_FROM_BYTES = 1024 * 1024;
