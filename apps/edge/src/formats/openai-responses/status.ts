// The responses format's status and details, and our stop reasons.

import { objectOf, textOf } from '../json';
import type { JsonObject, StopReason } from '../normalised';

const INCOMPLETE: Readonly<Record<string, StopReason>> = {
  max_output_tokens: 'length',
  content_filter: 'content_filter',
};

export interface DecodedStop {
  reason: StopReason;
  rawReason: string;
}

/** An answer with tool calls has stopped for them: this format has no word for it. */
export function decodeStop(response: JsonObject, callsTools: boolean): DecodedStop {
  const status = textOf(response['status']) ?? '';
  const why = textOf(objectOf(response['incomplete_details'])?.['reason']);
  if (status === 'incomplete' || (why !== undefined && status === '')) {
    const known = why !== undefined && Object.hasOwn(INCOMPLETE, why);
    return { reason: (known ? INCOMPLETE[why] : undefined) ?? 'other', rawReason: why ?? status };
  }
  return { reason: callsTools ? 'tool_calls' : 'stop', rawReason: status };
}

export type Status = 'completed' | 'incomplete' | 'failed';

export interface WireStop {
  status: Status;
  incomplete_details: { reason?: 'max_output_tokens' | 'content_filter' } | null;
}

const COMPLETED: WireStop = { status: 'completed', incomplete_details: null };
const FILTERED: WireStop = {
  status: 'incomplete',
  incomplete_details: { reason: 'content_filter' },
};

const STOPS: Readonly<Record<StopReason, WireStop>> = {
  stop: COMPLETED,
  length: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
  tool_calls: COMPLETED,
  content_filter: FILTERED,
  refusal: FILTERED,
  // An incomplete answer whose reason has no word here.
  pause: { status: 'incomplete', incomplete_details: {} },
  error: { status: 'failed', incomplete_details: null },
  other: COMPLETED,
};

/** A refusal with text is a complete answer. */
export function encodeStop(reason: StopReason, refuses: boolean): WireStop {
  const spelled = refuses && (reason === 'refusal' || reason === 'content_filter');
  return spelled ? COMPLETED : STOPS[reason];
}
