// Stop reasons: the vendor's words, and ours.

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
  ESCALATION: 'content_filter',
  MALFORMED_FUNCTION_CALL: 'error',
  UNEXPECTED_TOOL_CALL: 'error',
  TOO_MANY_TOOL_CALLS: 'error',
  MALFORMED_RESPONSE: 'error',
  MISSING_THOUGHT_SIGNATURE: 'error',
  NO_IMAGE: 'error',
  IMAGE_OTHER: 'error',
  // The provider has limited the gateway's account.
  PUP_LIMITED_DISABLED: 'error',
};

/** The vendor has no word for an answer with function calls. */
export function decodeStopReason(raw: string, callsTools: boolean): StopReason {
  const reason = Object.hasOwn(MEANINGS, raw) ? (MEANINGS[raw] ?? 'other') : 'other';
  return reason === 'stop' && callsTools ? 'tool_calls' : reason;
}

/** The finish reason of a candidate; undefined while the model has not stopped. */
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
  // The vendor's word for a pause makes clients send a token that only the vendor issues.
  pause: 'OTHER',
  error: 'OTHER',
  other: 'OTHER',
};

export const MALFORMED_CALL = 'MALFORMED_FUNCTION_CALL';

/** Properties of an answer that affect its stop reason. */
export interface AnswerTraits {
  refuses: boolean;
  /** A call whose arguments are not an object, which cannot be encoded. */
  malformedCall: boolean;
}

export function encodeStopReason(reason: StopReason, traits: AnswerTraits): string {
  const word = WORDS[reason];
  if (word !== 'STOP') return word;
  if (traits.malformedCall) return MALFORMED_CALL;
  return traits.refuses ? 'SAFETY' : word;
}
