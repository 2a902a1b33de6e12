import {
  CAPABILITIES,
  DEFAULT_MAX_TOOL_CALLS,
  type Capability,
  type ModelType,
  type rest,
} from '@tollgate/contracts';
import { numberOrNull, textOrNull } from '../../resource/typed';
import { NEW_PRICE, priceOf, type PriceDraft } from './price-draft';

// A model while it is being described. Pure: what the form holds, and what is sent of it.

export type ModelDraft = {
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
  /** Undefined: nobody knows; it is never left out for it. */
  readonly capabilities: readonly Capability[] | undefined;
  readonly status: rest.Model['status'];
  /** Of a new model. */
  readonly price: PriceDraft | undefined;
};

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
    status,
    price: undefined,
  };
}

/** The settings as they are sent; without a provider the server says that one lacks. */
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
    status,
  };
}

export function modelBodyOf(draft: ModelDraft) {
  const { price } = draft;
  const { defaultMaxOutputTokens, ...settings } = settingsOf(draft);
  return {
    ...settings,
    // Left out, it is the model's own maximum.
    ...(defaultMaxOutputTokens === null ? {} : { defaultMaxOutputTokens }),
    prices: price === undefined ? [] : [priceOf(price)],
  };
}

/** In the order of the table, whichever was ticked first. */
export function withCapability(
  known: readonly Capability[],
  capability: Capability,
  on: boolean,
): readonly Capability[] {
  return CAPABILITIES.filter((one) => (one === capability ? on : known.includes(one)));
}
