import {
  mayDeclareResponses,
  vendorByType,
  type ProviderType,
  type rest,
  type UpstreamFormat,
} from '@tollgate/contracts';

import { headersOf, headersText, numberOrNull, textOrNull } from '../../resource/typed';

// The draft of a provider: form state and request body. Pure.

export interface Draft {
  readonly name: string;
  readonly type: ProviderType;
  /** Only for providers whose vendor has no format of its own. */
  readonly upstreamFormat: UpstreamFormat;
  readonly baseUrl: string;
  /** The address was typed, so it no longer follows the type. */
  readonly baseUrlTyped: boolean;
  readonly apiVersion: string;
  readonly nativeResponses: boolean;
  /** Empty: unknown. */
  readonly region: string;
  /** The first key of a new provider; for an existing one, a key for the test only. */
  readonly apiKey: string;
  /** One "Name: value" per line. */
  readonly headers: string;
  readonly timeoutMs: string;
  readonly connectTimeoutMs: string;
  readonly firstByteTimeoutMs: string;
  readonly idleTimeoutMs: string;
  readonly status: rest.Provider['status'];
}

const FIRST_TYPE: ProviderType = 'PROVIDER_A';

export const NEW_PROVIDER: Draft = {
  name: '',
  type: FIRST_TYPE,
  upstreamFormat: 'openai',
  baseUrl: vendorByType(FIRST_TYPE).baseUrl ?? '',
  baseUrlTyped: false,
  apiVersion: '',
  nativeResponses: false,
  region: '',
  apiKey: '',
  headers: '',
  timeoutMs: '600000',
  connectTimeoutMs: '5000',
  firstByteTimeoutMs: '120000',
  idleTimeoutMs: '60000',
  status: 'ACTIVE',
};

export function draftOf(provider: rest.Provider): Draft {
  const { name, type, upstreamFormat, baseUrl, apiVersion, headers, status } = provider;
  return {
    name,
    type,
    upstreamFormat,
    baseUrl,
    baseUrlTyped: true,
    apiVersion: apiVersion ?? '',
    nativeResponses: provider.nativeResponses,
    region: provider.region ?? '',
    apiKey: '',
    headers: headersText(headers),
    timeoutMs: String(provider.timeoutMs),
    connectTimeoutMs: String(provider.connectTimeoutMs),
    firstByteTimeoutMs: String(provider.firstByteTimeoutMs),
    idleTimeoutMs: String(provider.idleTimeoutMs),
    status,
  };
}

/** Changes the type, with its vendor's address unless one was typed, and a format that the type has. */
export function withType(draft: Draft, type: ProviderType): Partial<Draft> {
  const { baseUrl, formats } = vendorByType(type);
  const [first] = formats;
  const chosen = formats.includes(draft.upstreamFormat) ? undefined : first;
  const format = chosen === undefined ? {} : { upstreamFormat: chosen };
  return draft.baseUrlTyped ? { type, ...format } : { type, ...format, baseUrl: baseUrl ?? '' };
}

/** Whether nobody but its owner knows if the provider has the Responses API. */
export function mayHaveResponses({ type, upstreamFormat }: Draft): boolean {
  return mayDeclareResponses(type, upstreamFormat);
}

function connection(draft: Draft) {
  return {
    baseUrl: draft.baseUrl.trim(),
    // A value without a field in the form does not change.
    ...(vendorByType(draft.type).takesApiVersion
      ? { apiVersion: textOrNull(draft.apiVersion) }
      : {}),
    headers: headersOf(draft.headers),
    connectTimeoutMs: numberOrNull(draft.connectTimeoutMs) ?? Number.NaN,
  };
}

function kind({ type, upstreamFormat }: Draft) {
  return vendorByType(type).upstreamFormat === null ? { type, upstreamFormat } : { type };
}

function secret({ apiKey }: Draft) {
  return apiKey === '' ? {} : { apiKey };
}

/** The request body of a change. */
export function patchOf(draft: Draft) {
  return {
    ...connection(draft),
    name: draft.name,
    ...(mayHaveResponses(draft) ? { nativeResponses: draft.nativeResponses } : {}),
    region: textOrNull(draft.region),
    timeoutMs: numberOrNull(draft.timeoutMs) ?? Number.NaN,
    firstByteTimeoutMs: numberOrNull(draft.firstByteTimeoutMs) ?? Number.NaN,
    idleTimeoutMs: numberOrNull(draft.idleTimeoutMs) ?? Number.NaN,
    status: draft.status,
  };
}

export function bodyOf(draft: Draft) {
  return { ...patchOf(draft), ...kind(draft), ...secret(draft) };
}

/** The request body of a test before saving. */
export function testOf(draft: Draft) {
  return { ...connection(draft), ...kind(draft), ...secret(draft) };
}
