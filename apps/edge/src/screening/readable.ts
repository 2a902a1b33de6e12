// Which answers have texts.

import type { Operation } from '@tollgate/contracts';

export const SSE_TYPE = /^text\/event-stream\b/i;
export const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/i;
export const TEXT_TYPE = /^(?:text\/|application\/x-subrip\b)/i;

/** Their answers are numbers. */
export const WITHOUT_TEXT: ReadonlySet<Operation> = new Set([
  'count_tokens',
  'embeddings',
  'pooling',
  'response_input_tokens',
  'score',
]);
