// Stop reasons: the chat format's five words, and ours.

import { textOf } from '../json';
import type { JsonObject, StopReason } from '../normalised';

const MEANINGS: Readonly<Record<string, StopReason>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
  // Words of compatible servers.
  abort: 'error',
  error: 'error',
};

/**
 * A choice with tool calls has stopped for them, even if the server reports `stop`: otherwise an
 * agent would end there.
 */
export function decodeStopReason(raw: string, callsTools: boolean): StopReason {
  const reason = Object.hasOwn(MEANINGS, raw) ? (MEANINGS[raw] ?? 'other') : 'other';
  return reason === 'stop' && callsTools ? 'tool_calls' : reason;
}

/** The field of vLLM and SGLang. A number is a token id. */
export function stopSequenceIn(choice: JsonObject): string | undefined {
  return textOf(choice['stop_reason']) ?? textOf(choice['matched_stop']);
}

const WORDS: Readonly<Record<StopReason, string>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  content_filter: 'content_filter',
  refusal: 'content_filter',
  pause: 'stop',
  error: 'stop',
  other: 'stop',
};

export function encodeStopReason(reason: StopReason, legacyFunctions: boolean): string {
  return reason === 'tool_calls' && legacyFunctions ? 'function_call' : WORDS[reason];
}
