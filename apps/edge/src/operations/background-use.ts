// The usage of a background response that has ended.

import type { ErrorCode, Outcome, TokenUsage } from '@tollgate/contracts';

import type { JsonObject } from '../formats';
import { arrayOf, objectOf, present, textOf } from '../formats/json';
import { outputItemIds } from '../formats/openai-responses/output-ids';
import { usageOf } from '../formats/openai-responses/usage';
import { openAiTiersIn } from '../formats/service-tiers';
import { inputAndOutput } from './answer';
import { estimateInput } from './fields';
import type { Measured } from './job';

export interface FinalUse {
  outcome: Outcome;
  errorCode: ErrorCode | '';
  stopReason: string;
  /** Ids of its output items. */
  itemIds: string[];
  /** Undefined: the provider reported no usage, and is not known to bill any. */
  consumption: (Measured & { usage?: TokenUsage }) | undefined;
}

const UNFINISHED: ReadonlySet<string> = new Set(['queued', 'in_progress']);

export function isUnfinished(response: JsonObject): boolean {
  return UNFINISHED.has(textOf(response['status']) ?? '');
}

const OUTCOMES: Readonly<Record<string, Outcome>> = {
  failed: 'FAILED',
  cancelled: 'CLIENT_CLOSED',
};

/** Undefined: the provider is still working on it, or this is not a response. */
export function finalUse(response: JsonObject, inputTokens: number): FinalUse | undefined {
  const status = textOf(response['status']);
  if (status === undefined || UNFINISHED.has(status)) return undefined;
  const outcome = OUTCOMES[status] ?? 'COMPLETED';
  const why = textOf(objectOf(response['incomplete_details'])?.['reason']);
  const itemIds = outputItemIds(response) ?? [];
  const said = { outcome, stopReason: why ?? status, itemIds };
  const errorCode = outcome === 'FAILED' ? 'upstream_error' : '';
  const reported = usageOf(response);
  if (reported) {
    const { tiers, tokens: usage, units } = reported;
    return { ...said, errorCode, consumption: { usage, ...present({ tiers, units }) } };
  }
  if (outcome === 'FAILED') return { ...said, errorCode, consumption: undefined };
  // A cancelled response is charged for its input and the output so far.
  const output = estimateInput(arrayOf(response['output']));
  const estimate = inputAndOutput(inputTokens, output);
  return { ...said, errorCode, consumption: { estimate, ...openAiTiersIn(response) } };
}
