// What every service knows about a provider type. A type is one row, and the compiler demands all of it.
import type { Cloud } from './clouds';
import type { ProviderType } from './enums';
import type { Operation } from './operations';
import {
  BEDROCK_APIS,
  FORMAT_APIS,
  OPENAI_LIST,
  UPSTREAM_FORMATS,
  VERTEX_APIS,
  type UpstreamApi,
  type UpstreamFormat,
} from './upstream-apis';

export const PROVIDER_LABELS = [
  'provider_a',
  'provider_b',
  'provider_c',
  'provider_d',
  'provider_e',
  'provider_g',
  'provider_h',
] as const;
export type ProviderLabel = (typeof PROVIDER_LABELS)[number];

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
  /** The formats that a provider can choose; empty: its type has one. */
  readonly formats: readonly UpstreamFormat[];
  /** Null: the API of the format that the provider chooses. */
  readonly api: UpstreamApi | null;
  /** The APIs of formats that it can choose, where they differ from what is usual. */
  readonly apis: Readonly<Partial<Record<UpstreamFormat, UpstreamApi>>>;
  /** The cloud whose identities it accepts instead of a key; null: it accepts keys only. */
  readonly cloud: Cloud | null;
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
    formats: [],
    api: FORMAT_APIS.openai,
    apis: {},
    cloud: null,
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
    formats: [],
    api: FORMAT_APIS.anthropic,
    apis: {},
    cloud: null,
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
    formats: [],
    api: FORMAT_APIS.gemini,
    apis: {},
    cloud: null,
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
    formats: [],
    api: FORMAT_APIS.vllm,
    apis: {},
    cloud: null,
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
    formats: UPSTREAM_FORMATS,
    api: null,
    apis: {},
    cloud: null,
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
    formats: [],
    apis: {},
    cloud: 'azure',
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
  PROVIDER_G: {
    label: 'provider_g',
    names: ['vertex', 'vertexai'],
    title: 'Google Vertex AI',
    baseUrl: null,
    baseUrlHint:
      'With project and location, for example https://us-central1-aiplatform.googleapis.com/v1/projects/my-project/locations/us-central1.',
    takesApiVersion: false,
    upstreamFormat: null,
    formats: ['gemini', 'anthropic'],
    api: null,
    apis: VERTEX_APIS,
    cloud: 'google',
    dialects: { ...OPENAI_DIALECTS, 'anthropic-messages': 'anthropic' },
    responsesApi: 'never',
    // Its embeddings are of another interface.
    lacks: ['embeddings'],
    webSearchIn: 'gemini-generate',
    fixedFamily: null,
  },
  PROVIDER_H: {
    label: 'provider_h',
    names: ['bedrock', 'aws'],
    title: 'Amazon Bedrock',
    baseUrl: null,
    baseUrlHint: 'Of the region, for example https://bedrock-runtime.us-east-1.amazonaws.com.',
    takesApiVersion: false,
    upstreamFormat: null,
    formats: ['anthropic', 'openai'],
    api: null,
    apis: BEDROCK_APIS,
    cloud: 'aws',
    dialects: {
      'openai-chat': 'compatible',
      'openai-responses': 'compatible',
      'anthropic-messages': 'anthropic',
    },
    responsesApi: 'never',
    lacks: [
      'completions',
      'embeddings',
      'image_generation',
      'image_edit',
      'image_variation',
      'moderation',
      'transcription',
      'translation',
      'speech',
    ],
    webSearchIn: null,
    fixedFamily: null,
  },
};

/** How a provider is reached. */
export function upstreamApiOf(type: ProviderType, format: UpstreamFormat): UpstreamApi {
  const { api, apis } = PROVIDER_TYPE_ROWS[type];
  return api ?? apis[format] ?? FORMAT_APIS[format];
}
