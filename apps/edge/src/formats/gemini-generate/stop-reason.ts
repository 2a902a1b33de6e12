// Why an answer ended: the vendor's words, and ours.

import type { StopReason } from '../normalised';

const MEANINGS: Readonly<Record<string, StopReason>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  CONTINUATION: 'pause',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  LANGUAGE: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
  IMAGE_RECITATION: 'content_filter',
  MODEL_ARMOR: 'content_filter',
  MALFORMED_FUNCTION_CALL: 'error',
  UNEXPECTED_TOOL_CALL: 'error',
  TOO_MANY_TOOL_CALLS: 'error',
  MALFORMED_RESPONSE: 'error',
};

/** The vendor has no word of its own for an answer that calls functions. */
export function decodeStopReason(raw: string, callsTools: boolean): StopReason {
  const reason = Object.hasOwn(MEANINGS, raw) ? (MEANINGS[raw] ?? 'other') : 'other';
  return reason === 'stop' && callsTools ? 'tool_calls' : reason;
}

/** The word in a candidate; undefined as long as the model has not stopped. */
export function finishReasonOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '' || value === UNSPECIFIED) return undefined;
  return value;
}

const UNSPECIFIED = 'FINISH_REASON_UNSPECIFIED';

const WORDS: Readonly<Record<StopReason, string>> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  tool_calls: 'STOP',
  content_filter: 'SAFETY',
  refusal: 'SAFETY',
  // The vendor's word for a pause makes clients send a token that only the vendor gives out.
  pause: 'OTHER',
  error: 'OTHER',
  other: 'OTHER',
};

export const MALFORMED_CALL = 'MALFORMED_FUNCTION_CALL';

/** What an answer holds that has a say in why it ended. */
export interface AnswerTraits {
  refuses: boolean;
  /** A call whose arguments are no object, which cannot be written. */
  malformedCall: boolean;
}

export function encodeStopReason(reason: StopReason, traits: AnswerTraits): string {
  const word = WORDS[reason];
  if (word !== 'STOP') return word;
  if (traits.malformedCall) return MALFORMED_CALL;
  return traits.refuses ? 'SAFETY' : word;
}
