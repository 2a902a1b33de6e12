// What every service knows about a provider type. A type is one row, and the compiler demands all of it.
import type { ProviderType } from './enums';
import type { Operation } from './operations';

export const UPSTREAM_FORMATS = ['openai', 'anthropic', 'gemini', 'vllm'] as const;
export type UpstreamFormat = (typeof UPSTREAM_FORMATS)[number];

export const PROVIDER_LABELS = [
  'provider_a',
  'provider_b',
  'provider_c',
  'provider_d',
  'provider_e',
] as const;
export type ProviderLabel = (typeof PROVIDER_LABELS)[number];

/**
 * `versioned_base`: the base URL ends with the interface's version; one without a path gets the usual
 * version. `deployment`: the path names the model, and the query can name the interface's version.
 */
export type UrlShape =
  | { readonly shape: 'versioned_base'; readonly usualVersion: `/${string}` }
  | { readonly shape: 'deployment' };

/** The header of the provider's own key; `bearer`: `Authorization: Bearer <key>`. */
export type AuthHeader = 'bearer' | 'x-api-key' | 'x-goog-api-key' | 'api-key';

/** A list of models: its path, and the shape of its pages. */
export interface ModelList {
  readonly path: `/${string}`;
  readonly shape: 'openai' | 'anthropic' | 'gemini' | 'deployments';
  /** Replaces the provider's own API version. */
  readonly apiVersion?: string;
}

/** How an upstream is reached. */
export interface UpstreamApi {
  readonly url: UrlShape;
  readonly authHeader: AuthHeader;
  /** Sent with every call. */
  readonly headers: Readonly<Record<string, string>>;
  /** Read to see whether the provider works. */
  readonly testList: ModelList;
  /** Read for models that can be registered. */
  readonly discoveryList: ModelList;
}

const OPENAI_LIST: ModelList = { path: '/models', shape: 'openai' };
const OPENAI_API: UpstreamApi = {
  url: { shape: 'versioned_base', usualVersion: '/v1' },
  authHeader: 'bearer',
  headers: {},
  testList: OPENAI_LIST,
  discoveryList: OPENAI_LIST,
};

const ANTHROPIC_LIST: ModelList = { path: '/models', shape: 'anthropic' };
const GEMINI_LIST: ModelList = { path: '/models', shape: 'gemini' };

/** How servers of a format are usually reached. */
export const FORMAT_APIS: Readonly<Record<UpstreamFormat, UpstreamApi>> = {
  openai: OPENAI_API,
  vllm: OPENAI_API,
  anthropic: {
    url: { shape: 'versioned_base', usualVersion: '/v1' },
    authHeader: 'x-api-key',
    headers: { 'anthropic-version': '2023-06-01' },
    testList: ANTHROPIC_LIST,
    discoveryList: ANTHROPIC_LIST,
  },
  gemini: {
    url: { shape: 'versioned_base', usualVersion: '/v1beta' },
    authHeader: 'x-goog-api-key',
    headers: {},
    testList: GEMINI_LIST,
    discoveryList: GEMINI_LIST,
  },
};

/** The dialect of each format that several provider types share; the edge has the details. */
export interface DialectNames {
  readonly 'openai-chat': 'openai' | 'vllm' | 'compatible';
  readonly 'openai-responses': 'openai' | 'vllm' | 'compatible';
  readonly 'anthropic-messages': 'anthropic' | 'compatible';
}

const OPENAI_DIALECTS: DialectNames = {
  'openai-chat': 'openai',
  'openai-responses': 'openai',
  'anthropic-messages': 'compatible',
};

export interface ProviderTypeRow {
  /** Its name in answers and records. */
  readonly label: ProviderLabel;
  /** Real names, accepted on input in any case; the first is the usual one. */
  readonly names: readonly [string, ...string[]];
  /** Its display name. */
  readonly title: string;
  /** Base URL of the vendor's own service; null: every customer has another one. */
  readonly baseUrl: string | null;
  /** Hint at the form's base URL field; null: the vendor's own URL is filled in. */
  readonly baseUrlHint: string | null;
  /** Whether the form asks for an API version. */
  readonly takesApiVersion: boolean;
  /** The format of its upstream; null: each provider chooses. */
  readonly upstreamFormat: UpstreamFormat | null;
  /** Null: the API of the format that the provider chooses. */
  readonly api: UpstreamApi | null;
  readonly dialects: DialectNames;
  /** Whether it has the whole Responses API in the format `openai`; `declared`: each provider declares it. */
  readonly responsesApi: 'always' | 'never' | 'declared';
  /** Operations it lacks although others of its format have them. */
  readonly lacks: readonly Operation[];
  /** The format whose web search it runs itself; null: not known to run any. */
  readonly webSearchIn: 'openai-responses' | 'anthropic-messages' | 'gemini-generate' | null;
  /** The family of routes that is fixed to it while `openCompatRoutes` is off; null: none. */
  readonly fixedFamily: 'openai' | 'vllm' | null;
}

/** In the order in which vendors are listed. A label of several types means the first of them. */
export const PROVIDER_TYPE_ROWS: Readonly<Record<ProviderType, ProviderTypeRow>> = {
  PROVIDER_A: {
    label: 'provider_a',
    names: ['openai'],
    title: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    baseUrlHint: null,
    takesApiVersion: false,
    upstreamFormat: 'openai',
    api: FORMAT_APIS.openai,
    dialects: OPENAI_DIALECTS,
    responsesApi: 'always',
    lacks: [],
    webSearchIn: 'openai-responses',
    fixedFamily: 'openai',
  },
  PROVIDER_B: {
    label: 'provider_b',
    names: ['anthropic'],
    title: 'Anthropic',
    baseUrl: 'https://api.anthropic.com',
    baseUrlHint: null,
    takesApiVersion: false,
    upstreamFormat: 'anthropic',
    api: FORMAT_APIS.anthropic,
    dialects: { ...OPENAI_DIALECTS, 'anthropic-messages': 'anthropic' },
    responsesApi: 'never',
    lacks: [],
    webSearchIn: 'anthropic-messages',
    fixedFamily: null,
  },
  PROVIDER_C: {
    label: 'provider_c',
    names: ['gemini', 'google'],
    title: 'Google Gemini',
    baseUrl: 'https://generativelanguage.googleapis.com',
    baseUrlHint: null,
    takesApiVersion: false,
    upstreamFormat: 'gemini',
    api: FORMAT_APIS.gemini,
    dialects: OPENAI_DIALECTS,
    responsesApi: 'never',
    lacks: [],
    webSearchIn: 'gemini-generate',
    fixedFamily: null,
  },
  PROVIDER_D: {
    label: 'provider_d',
    names: ['vllm'],
    title: 'vLLM',
    baseUrl: null,
    baseUrlHint: 'URL of the server, for example http://vllm.internal:8000/v1.',
    takesApiVersion: false,
    upstreamFormat: 'vllm',
    api: FORMAT_APIS.vllm,
    dialects: {
      'openai-chat': 'vllm',
      'openai-responses': 'vllm',
      'anthropic-messages': 'compatible',
    },
    responsesApi: 'never',
    lacks: [],
    webSearchIn: null,
    fixedFamily: 'vllm',
  },
  // The enumeration of types has none for the fifth vendor, so its providers are CUSTOM.
  CUSTOM: {
    label: 'provider_e',
    names: ['custom'],
    title: 'Custom',
    baseUrl: null,
    baseUrlHint: 'The routes of its format start here.',
    takesApiVersion: false,
    upstreamFormat: null,
    api: null,
    dialects: {
      'openai-chat': 'compatible',
      'openai-responses': 'compatible',
      'anthropic-messages': 'compatible',
    },
    responsesApi: 'declared',
    lacks: [],
    webSearchIn: null,
    fixedFamily: null,
  },
  PROVIDER_F: {
    label: 'provider_a',
    names: ['azure'],
    title: 'Azure OpenAI',
    baseUrl: null,
    baseUrlHint: 'URL of the resource, for example https://my-resource.openai.azure.com.',
    takesApiVersion: true,
    upstreamFormat: 'openai',
    api: {
      url: { shape: 'deployment' },
      authHeader: 'api-key',
      headers: {},
      // It lists what could be deployed, which shows that the key works.
      testList: OPENAI_LIST,
      // Calls name a deployment, so deployments are what can be registered. No later version lists them.
      discoveryList: {
        path: '/deployments',
        shape: 'deployments',
        apiVersion: '2023-03-15-preview',
      },
    },
    dialects: OPENAI_DIALECTS,
    responsesApi: 'always',
    // Nine paths are served below a deployment, and no others.
    lacks: ['image_variation', 'moderation'],
    webSearchIn: 'openai-responses',
    fixedFamily: 'openai',
  },
};

/** How a provider is reached. */
export function upstreamApiOf(type: ProviderType, format: UpstreamFormat): UpstreamApi {
  return PROVIDER_TYPE_ROWS[type].api ?? FORMAT_APIS[format];
}

/** The header that carries the provider's own key, with a lower-case name. */
export function authorizationOf(
  header: AuthHeader,
  secret: string,
): readonly [name: string, value: string] {
  return header === 'bearer' ? ['authorization', `Bearer ${secret}`] : [header, secret];
}
