import { PASSTHROUGH_METHODS, type PassthroughMethod, type rest } from '@tollgate/contracts';

import { numberOrNull } from '../../resource/typed';

// The draft of a provider's passthrough rules: form state and request body. Pure.

export interface RuleDraft {
  readonly method: PassthroughMethod;
  readonly path: string;
  readonly callPriceUsd: string;
  readonly requestMegabytePriceUsd: string;
  readonly responseMegabytePriceUsd: string;
  readonly maxRequestBytes: string;
  readonly maxResponseBytes: string;
}

/** Prices are empty: what is free must be said. */
export const NEW_RULE: RuleDraft = {
  method: PASSTHROUGH_METHODS[1],
  path: '/',
  callPriceUsd: '',
  requestMegabytePriceUsd: '',
  responseMegabytePriceUsd: '',
  maxRequestBytes: '1048576',
  maxResponseBytes: '10485760',
};

export function ruleDraftOf(rule: rest.PassthroughRule): RuleDraft {
  return {
    ...rule,
    maxRequestBytes: String(rule.maxRequestBytes),
    maxResponseBytes: String(rule.maxResponseBytes),
  };
}

/** An empty price is sent as it is, so that the server names it. */
export function rulesOfDraft(drafts: readonly RuleDraft[]) {
  return drafts.map((draft) => ({
    ...draft,
    path: draft.path.trim(),
    callPriceUsd: draft.callPriceUsd.trim(),
    requestMegabytePriceUsd: draft.requestMegabytePriceUsd.trim(),
    responseMegabytePriceUsd: draft.responseMegabytePriceUsd.trim(),
    maxRequestBytes: numberOrNull(draft.maxRequestBytes) ?? Number.NaN,
    maxResponseBytes: numberOrNull(draft.maxResponseBytes) ?? Number.NaN,
  }));
}

/** The draft with one rule moved up or down: the first rule that matches counts. */
export function moved(
  drafts: readonly RuleDraft[],
  index: number,
  by: -1 | 1,
): readonly RuleDraft[] {
  const other = index + by;
  const [one, two] = [drafts[index], drafts[other]];
  if (one === undefined || two === undefined) return drafts;
  return drafts.with(index, two).with(other, one);
}
