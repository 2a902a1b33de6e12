// How much JSON is taken from outside, in one place. Bytes are limited by configuration; these limit what the
// bytes may unfold to.

import type { JsonLimits } from './scan';

/**
 * A request's body. A conversation of ten thousand messages fits, and so do the token ids of a full batch of
 * embeddings.
 */
export const REQUEST_LIMITS = {
  containers: 65_536,
  values: 524_288,
  fields: 4_096,
} as const satisfies Omit<JsonLimits, 'depth'>;

/** A provider's answer: log probabilities of a long answer fit, and the numbers of a batch of embeddings. */
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

/** How long the lists of a request may be. */
export const LIST_LIMITS = {
  /** Messages, or the items of an input. */
  messages: 16_384,
  /** Parts of one message, and whatever has no row of its own. */
  parts: 4_096,
  tools: 1_024,
  /** Token ids: a full batch of embeddings or completions. */
  tokenIds: 524_288,
} as const;

/** Answers and events that are smaller are bounded by their size alone. */
export const MEASURED_FROM_BYTES = 64 * 1024;

/** Larger documents are parsed on a thread of their own. */
export const OFF_LOOP_FROM_BYTES = 1024 * 1024;
