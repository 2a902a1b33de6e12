// How upstreams are reached: their URLs, headers, lists, and what their bodies have beside the format. Which provider
// type has which is a row of ./provider-types.

export const UPSTREAM_FORMATS = ['openai', 'anthropic', 'gemini', 'vllm'] as const;
export type UpstreamFormat = (typeof UPSTREAM_FORMATS)[number];

/**
 * `versioned_base`: the base URL ends with the interface's version; one without a path gets the usual
 * version. `deployment`: the path names the model, and the query can name the interface's version. `publisher`:
 * the path of the base URL names a project and a location, that of a call the publisher of the model. `model_id`:
 * the path names the model, below the host.
 */
export type UrlShape =
  | { readonly shape: 'versioned_base'; readonly usualVersion: `/${string}` }
  | { readonly shape: 'deployment' }
  | { readonly shape: 'publisher'; readonly publisher: 'google' | 'anthropic' }
  | { readonly shape: 'model_id' };

/** The header of the provider's own key; `bearer`: `Authorization: Bearer <key>`. */
export type AuthHeader = 'bearer' | 'x-api-key' | 'x-goog-api-key' | 'api-key';

/** A list of models: its path, and the shape of its pages. */
export interface ModelList {
  readonly path: `/${string}`;
  readonly shape: 'openai' | 'anthropic' | 'gemini' | 'deployments' | 'vertex' | 'bedrock';
  /** Only models whose names begin so, at Bedrock also after a region: others have another interface. */
  readonly only?: string;
  /** Replaces the provider's own API version. */
  readonly apiVersion?: string;
}

/** How an upstream is reached. */
export interface UpstreamApi {
  readonly url: UrlShape;
  readonly authHeader: AuthHeader;
  /** Sent with every call. */
  readonly headers: Readonly<Record<string, string>>;
  /** Read to see whether the provider works; null: there is none. */
  readonly testList: ModelList | null;
  /** Read for models that can be registered; null: there is none. */
  readonly discoveryList: ModelList | null;
  /** What its list of models does not say, for people; absent: nothing particular. */
  readonly listNote?: string;
  /** False: it cannot count a request's tokens, so the gateway estimates them. Absent: as its format can. */
  readonly countsTokens?: false;
  /** Its streams are frames of AWS; absent: server-sent events. */
  readonly framing?: 'aws_event_stream';
  /** Fields of every conversation's body; absent: none. */
  readonly body?: BodyRules;
}

/** How the body of a conversation differs from what the vendor's own service takes. */
export interface BodyRules {
  /** Added, in place of those of the request. */
  readonly adds: Readonly<Record<string, string>>;
  /** Left out: the path says it. */
  readonly leavesOut: readonly string[];
  /** The header `anthropic-beta` is a list in the body. */
  readonly betasInBody: boolean;
}

export const OPENAI_LIST: ModelList = { path: '/models', shape: 'openai' };
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

const sameList = (list: ModelList) => ({ testList: list, discoveryList: list });

const VERTEX_NOTE =
  'Google lists what it publishes: also models that this project has not enabled, or that this location does not serve. Whether project and location are right shows with the first request.';
const BEDROCK_NOTE =
  'AWS lists the models and inference profiles of the region: also those that the account has no access to. Inference profiles that the account has made itself are not listed here.';

/** Google Vertex AI, by the publisher of its models. */
export const VERTEX_APIS: Readonly<Partial<Record<UpstreamFormat, UpstreamApi>>> = {
  gemini: {
    url: { shape: 'publisher', publisher: 'google' },
    authHeader: 'x-goog-api-key',
    headers: {},
    ...sameList({
      path: '/v1beta1/publishers/google/models',
      shape: 'vertex',
      only: 'gemini-',
    }),
    listNote: VERTEX_NOTE,
    // It counts contents, but no whole requests.
    countsTokens: false,
  },
  anthropic: {
    url: { shape: 'publisher', publisher: 'anthropic' },
    authHeader: 'bearer',
    headers: {},
    ...sameList({
      path: '/v1beta1/publishers/anthropic/models',
      shape: 'vertex',
      only: 'claude-',
    }),
    listNote: VERTEX_NOTE,
    body: {
      adds: { anthropic_version: 'vertex-2023-10-16' },
      leavesOut: ['model'],
      betasInBody: false,
    },
  },
};

/** Amazon Bedrock. Its lists are at another host of the region. */
export const BEDROCK_APIS: Readonly<Partial<Record<UpstreamFormat, UpstreamApi>>> = {
  anthropic: {
    url: { shape: 'model_id' },
    framing: 'aws_event_stream',
    authHeader: 'bearer',
    headers: {},
    ...sameList({ path: '/foundation-models', shape: 'bedrock', only: 'anthropic.' }),
    listNote: BEDROCK_NOTE,
    countsTokens: false,
    body: {
      adds: { anthropic_version: 'bedrock-2023-05-31' },
      leavesOut: ['model', 'stream'],
      betasInBody: true,
    },
  },
  openai: {
    url: { shape: 'versioned_base', usualVersion: '/openai/v1' },
    authHeader: 'bearer',
    headers: {},
    ...sameList({ path: '/foundation-models', shape: 'bedrock', only: 'openai.' }),
    listNote: BEDROCK_NOTE,
  },
};

/** The header that carries the provider's own key, with a lower-case name. */
export function authorizationOf(
  header: AuthHeader,
  secret: string,
): readonly [name: string, value: string] {
  return header === 'bearer' ? ['authorization', `Bearer ${secret}`] : [header, secret];
}
