// What a response that its provider generates in the background has taken, once it has ended.

import type { ErrorCode, Outcome, TokenUsage } from '@tollgate/contracts';
import type { JsonObject } from '../formats';
import { arrayOf, objectOf, textOf } from '../formats/json';
import { usageOf } from '../formats/openai-responses/usage';
import { inputAndOutput } from './answer';
import { estimateInput } from './fields';
import type { Measured } from './job';

export type FinalUse = {
  outcome: Outcome;
  errorCode: ErrorCode | '';
  stopReason: string;
  /** Undefined: the provider has reported nothing, and is not known to bill anything. */
  consumption: (Measured & { usage?: TokenUsage }) | undefined;
};

const UNFINISHED: ReadonlySet<string> = new Set(['queued', 'in_progress']);

export function isUnfinished(response: JsonObject): boolean {
  return UNFINISHED.has(textOf(response['status']) ?? '');
}

const OUTCOMES: Readonly<Record<string, Outcome>> = {
  failed: 'FAILED',
  cancelled: 'CLIENT_CLOSED',
};

/** Undefined: the provider still works on it, or this is no response. */
export function finalUse(response: JsonObject, inputTokens: number): FinalUse | undefined {
  const status = textOf(response['status']);
  if (status === undefined || UNFINISHED.has(status)) return undefined;
  const outcome = OUTCOMES[status] ?? 'COMPLETED';
  const why = textOf(objectOf(response['incomplete_details'])?.['reason']);
  const said = { outcome, stopReason: why ?? status };
  const errorCode = outcome === 'FAILED' ? 'upstream_error' : '';
  const reported = usageOf(response);
  if (reported) {
    const { tokens: usage, units } = reported;
    return { ...said, errorCode, consumption: { usage, ...(units ? { units } : {}) } };
  }
  if (outcome === 'FAILED') return { ...said, errorCode, consumption: undefined };
  // Who ends the work is charged for what it had come to: the input, and the output that there is.
  const output = estimateInput(arrayOf(response['output']));
  const estimate = inputAndOutput(inputTokens, output);
  return { ...said, errorCode, consumption: { estimate } };
}
