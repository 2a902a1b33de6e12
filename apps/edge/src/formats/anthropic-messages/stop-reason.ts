// Stop reasons: the messages format's words, and ours.

import type { StopReason } from '../normalised';

const MEANINGS: Readonly<Record<string, StopReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  pause_turn: 'pause',
  refusal: 'refusal',
};

/**
 * An answer with tool calls has stopped for them, even if the server reports the end of the turn:
 * otherwise an agent would end there.
 */
export function decodeStopReason(raw: string, callsTools: boolean): StopReason {
  const reason = Object.hasOwn(MEANINGS, raw) ? (MEANINGS[raw] ?? 'other') : 'other';
  return reason === 'stop' && callsTools ? 'tool_calls' : reason;
}

const WORDS: Readonly<Record<StopReason, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
  refusal: 'refusal',
  pause: 'pause_turn',
  error: 'end_turn',
  other: 'end_turn',
};

/** Properties of an answer that affect its stop reason. */
export interface AnswerTraits {
  callsTools: boolean;
  refuses: boolean;
  stopSequence: string | undefined;
}

export interface WireStop {
  stop_reason: string;
  stop_sequence: string | null;
  stop_details: { type: 'refusal'; category: null; explanation: null } | null;
}

/** The stop sequence at the end of a text: some servers leave it there and report nothing else. */
export function stopShown(text: string, stops: readonly string[]): string | undefined {
  return stops.find((stop) => stop !== '' && text.endsWith(stop));
}

export function encodeStop(
  reason: StopReason,
  { callsTools, refuses, stopSequence }: AnswerTraits,
): WireStop {
  let word = WORDS[reason];
  if (word === 'end_turn') {
    if (callsTools) word = 'tool_use';
    else if (refuses) word = 'refusal';
    else if (reason === 'stop' && stopSequence !== undefined) word = 'stop_sequence';
  }
  return {
    stop_reason: word,
    stop_sequence: word === 'stop_sequence' ? (stopSequence ?? null) : null,
    stop_details:
      word === 'refusal' ? { type: 'refusal', category: null, explanation: null } : null,
  };
}
