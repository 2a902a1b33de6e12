import {
  CAPABILITIES,
  DEFAULT_MAX_TOOL_CALLS,
  type Capability,
  type ModelType,
  type rest,
} from '@tollgate/contracts';

import { numberOrNull, regionsOf, regionsText, textOrNull } from '../../resource/typed';
import { NEW_PRICE, priceOf, type PriceDraft } from './price-draft';
import { retirementBodyOf, retirementDraftOf, type RetirementDraft } from './retirement-draft';

// The draft of a model: form state and request body. Pure.

export interface ModelDraft {
  readonly name: string;
  readonly providerId: string | undefined;
  /** Empty: the name. */
  readonly upstreamModel: string;
  readonly displayName: string;
  readonly type: ModelType;
  readonly contextTokens: string;
  readonly defaultMaxOutputTokens: string;
  readonly maxOutputTokens: string;
  readonly maxToolCalls: string;
  /** Undefined: unknown. Routing then never skips the model for a capability. */
  readonly capabilities: readonly Capability[] | undefined;
  /** As typed. */
  readonly allowedRegions: string;
  /** Undefined: no end is announced. */
  readonly retirement: RetirementDraft | undefined;
  readonly status: rest.Model['status'];
  /** Only for a new model. */
  readonly price: PriceDraft | undefined;
}

export const NEW_MODEL: ModelDraft = {
  name: '',
  providerId: undefined,
  upstreamModel: '',
  displayName: '',
  type: 'chat',
  contextTokens: '128000',
  defaultMaxOutputTokens: '',
  maxOutputTokens: '',
  maxToolCalls: String(DEFAULT_MAX_TOOL_CALLS),
  capabilities: undefined,
  allowedRegions: '',
  retirement: undefined,
  status: 'ACTIVE',
  price: NEW_PRICE,
};

export function modelDraftOf(model: rest.Model): ModelDraft {
  const { name, providerId, upstreamModel, type, status, capabilities } = model;
  const text = (value: number | null): string => (value === null ? '' : String(value));
  return {
    name,
    providerId,
    upstreamModel,
    displayName: model.displayName ?? '',
    type,
    contextTokens: String(model.contextTokens),
    defaultMaxOutputTokens: text(model.defaultMaxOutputTokens),
    maxOutputTokens: text(model.maxOutputTokens),
    maxToolCalls: String(model.maxToolCalls),
    capabilities: capabilities ?? undefined,
    allowedRegions: regionsText(model.allowedRegions),
    retirement: retirementDraftOf(model.retirement),
    status,
    price: undefined,
  };
}

/** The settings for the request. Without a provider the server names the missing field. */
export function settingsOf(draft: ModelDraft) {
  const { name, providerId = '', type, status, capabilities } = draft;
  return {
    name: name.trim(),
    providerId,
    upstreamModel: textOrNull(draft.upstreamModel) ?? name.trim(),
    displayName: textOrNull(draft.displayName),
    type,
    contextTokens: numberOrNull(draft.contextTokens) ?? Number.NaN,
    defaultMaxOutputTokens: numberOrNull(draft.defaultMaxOutputTokens),
    maxOutputTokens: numberOrNull(draft.maxOutputTokens),
    maxToolCalls: numberOrNull(draft.maxToolCalls) ?? Number.NaN,
    capabilities: capabilities === undefined ? null : [...capabilities],
    allowedRegions: regionsOf(draft.allowedRegions),
    retirement: retirementBodyOf(draft.retirement),
    status,
  };
}

export function modelBodyOf(draft: ModelDraft) {
  const { price } = draft;
  const { defaultMaxOutputTokens, ...settings } = settingsOf(draft);
  return {
    ...settings,
    // Absent: the model's maximum applies.
    ...(defaultMaxOutputTokens === null ? {} : { defaultMaxOutputTokens }),
    prices: price === undefined ? [] : [priceOf(price)],
  };
}

/** Sorted in the order of the table. */
export function withCapability(
  known: readonly Capability[],
  capability: Capability,
  on: boolean,
): readonly Capability[] {
  return CAPABILITIES.filter((one) => (one === capability ? on : known.includes(one)));
}
