// Where each operation lives at an upstream, and in which format it is spoken there. A new operation is a
// row here; what differs between provider types is a row of contracts (provider-types.ts).

import {
  authorizationOf,
  hasNativeResponses,
  PROVIDER_TYPES,
  UPSTREAM_FORMATS,
  upstreamApiOf,
  vendorByType,
  type BodyRules,
  type Operation,
  type ProviderType,
  type UpstreamApi,
  type UpstreamFormat,
} from '@tollgate/contracts';

import type { FormatName } from '../formats';
import { BETAS } from './body-rules';
import { targetOf, type Target } from './targets';

export interface Endpoint {
  upstreamFormat: UpstreamFormat;
  operation: Operation;
  /** The codec of request and answer; of its errors alone, for operations that are only relayed. */
  format: FormatName;
  /** Absent: POST. */
  method?: 'GET' | 'DELETE';
  /** Below the base URL. `{model}` is the model's name at the upstream, others are ids of the request. */
  path: string;
  /** Another path for streams, where there is one. */
  streamPath?: string;
  /** Another path for questions about several things at once, where there is one. */
  batchPath?: string;
  /** Below the server itself, beside the versioned interface. */
  atRoot?: true;
  /** Only providers have it that have the Responses API, by their type or as they declare. */
  ofResponsesApi?: true;
}

type Row = Omit<Endpoint, 'upstreamFormat' | 'operation' | 'format'> & {
  operation: Operation;
  format?: FormatName;
};

/** What a client of the chat format gets from a server that speaks it. */
const CHAT = { format: 'openai-chat', path: '/chat/completions' } as const;
const MESSAGES = { format: 'anthropic-messages', path: '/messages' } as const;
const GENERATE = {
  format: 'gemini-generate',
  path: '/models/{model}:generateContent',
  streamPath: '/models/{model}:streamGenerateContent?alt=sse',
} as const;
const RESPONSE = { format: 'openai-responses', path: '/responses/{response_id}' } as const;
const RETRIEVE = { operation: 'response_retrieve', ...RESPONSE, method: 'GET' } as const;
const CANCEL = {
  operation: 'response_cancel',
  ...RESPONSE,
  path: `${RESPONSE.path}/cancel`,
} as const;
const BESIDE_RESPONSES: readonly Row[] = [
  {
    operation: 'response_input_tokens',
    format: 'openai-responses',
    path: '/responses/input_tokens',
  },
  { operation: 'response_compact', format: 'openai-responses', path: '/responses/compact' },
  RETRIEVE,
  CANCEL,
  { operation: 'response_delete', ...RESPONSE, method: 'DELETE' },
  {
    operation: 'response_input_items',
    ...RESPONSE,
    path: `${RESPONSE.path}/input_items`,
    method: 'GET',
  },
];

const CONVERSATIONS = '/conversations';
const CONVERSATION = `${CONVERSATIONS}/{conversation_id}`;
const ITEMS = `${CONVERSATION}/items`;
const ITEM = `${ITEMS}/{item_id}`;
const CONVERSATION_ROWS: readonly Row[] = (
  [
    { operation: 'conversation_create', path: CONVERSATIONS },
    { operation: 'conversation_retrieve', path: CONVERSATION, method: 'GET' },
    { operation: 'conversation_update', path: CONVERSATION },
    { operation: 'conversation_delete', path: CONVERSATION, method: 'DELETE' },
    { operation: 'conversation_items', path: ITEMS, method: 'GET' },
    { operation: 'conversation_items_create', path: ITEMS },
    { operation: 'conversation_item_retrieve', path: ITEM, method: 'GET' },
    { operation: 'conversation_item_delete', path: ITEM, method: 'DELETE' },
  ] as const
).map((row) => ({ ...row, format: 'openai-responses' }));

const BY_FORMAT: Readonly<Record<UpstreamFormat, readonly Row[]>> = {
  openai: [
    { operation: 'chat', ...CHAT },
    // Servers that only speak the chat format mostly have no responses.
    {
      operation: 'responses',
      format: 'openai-responses',
      path: '/responses',
      ofResponsesApi: true,
    },
    { operation: 'responses', ...CHAT },
    ...[...BESIDE_RESPONSES, ...CONVERSATION_ROWS].map((row) => ({
      ...row,
      ofResponsesApi: true as const,
    })),
    { operation: 'completions', path: '/completions' },
    { operation: 'embeddings', path: '/embeddings' },
    { operation: 'image_generation', path: '/images/generations' },
    { operation: 'image_edit', path: '/images/edits' },
    { operation: 'image_variation', path: '/images/variations' },
    { operation: 'moderation', path: '/moderations' },
    { operation: 'transcription', path: '/audio/transcriptions' },
    { operation: 'translation', path: '/audio/translations' },
    { operation: 'speech', path: '/audio/speech' },
  ],
  vllm: [
    { operation: 'chat', ...CHAT },
    { operation: 'responses', format: 'openai-responses', path: '/responses' },
    RETRIEVE,
    CANCEL,
    { operation: 'completions', path: '/completions' },
    { operation: 'embeddings', path: '/embeddings' },
    // Pictures and speech are made by its omni server.
    { operation: 'image_generation', path: '/images/generations' },
    { operation: 'image_edit', path: '/images/edits' },
    { operation: 'transcription', path: '/audio/transcriptions' },
    { operation: 'translation', path: '/audio/translations' },
    { operation: 'speech', path: '/audio/speech' },
    { operation: 'tokenize', path: '/tokenize', atRoot: true },
    { operation: 'detokenize', path: '/detokenize', atRoot: true },
    { operation: 'pooling', path: '/pooling', atRoot: true },
    { operation: 'classify', path: '/classify', atRoot: true },
    { operation: 'score', path: '/score', atRoot: true },
    { operation: 'rerank', path: '/rerank', atRoot: true },
  ],
  anthropic: [
    { operation: 'chat', ...MESSAGES },
    { operation: 'responses', ...MESSAGES },
    { operation: 'count_tokens', format: 'anthropic-messages', path: '/messages/count_tokens' },
  ],
  gemini: [
    { operation: 'chat', ...GENERATE },
    { operation: 'responses', ...GENERATE },
    {
      operation: 'embeddings',
      format: 'gemini-generate',
      path: '/models/{model}:embedContent',
      batchPath: '/models/{model}:batchEmbedContents',
    },
    { operation: 'count_tokens', format: 'gemini-generate', path: '/models/{model}:countTokens' },
  ],
};

export const ENDPOINTS: readonly Endpoint[] = Object.entries(BY_FORMAT).flatMap(([format, rows]) =>
  rows.map((row) => ({ format: 'openai-chat', ...row, upstreamFormat: format as UpstreamFormat })),
);

/**
 * Undefined: providers of this kind cannot do the operation. `nativeResponses`: this one declares that it
 * has the Responses API.
 */
export function endpointOf(
  type: ProviderType,
  format: UpstreamFormat,
  operation: Operation,
  nativeResponses = false,
): Endpoint | undefined {
  if (operation === 'count_tokens' && upstreamApiOf(type, format).countsTokens === false) {
    return undefined;
  }
  return ENDPOINTS.find(
    (row) =>
      row.upstreamFormat === format &&
      row.operation === operation &&
      (!row.ofResponsesApi || hasNativeResponses(type, nativeResponses)) &&
      !vendorByType(type).lacks.includes(operation),
  );
}

/**
 * The kinds of upstream that are spoken to in a format: `anthropic`, `openai/PROVIDER_A`, and by what a
 * provider declares, `openai/native_responses`.
 */
export function upstreamsSpeaking(format: FormatName): string[] {
  const kinds = ENDPOINTS.filter((row) => row.format === format && SPOKEN.has(row.operation));
  const names = kinds.flatMap(({ ofResponsesApi, upstreamFormat }) =>
    ofResponsesApi
      ? [...RESPONSES_BY_TYPE, 'native_responses'].map((kind) => `${upstreamFormat}/${kind}`)
      : upstreamFormat,
  );
  return [...new Set(names)];
}

const RESPONSES_BY_TYPE = PROVIDER_TYPES.filter((type) => hasNativeResponses(type));

const SPOKEN: ReadonlySet<Operation> = new Set(['chat', 'responses']);

export interface Forwarded {
  names: readonly string[];
  /** All headers that begin so, but for credentials. */
  prefix?: string;
  /** Those of them that stay here. */
  withheld?: readonly string[];
  /** Those of them that replace what the provider's connection sets. */
  replacing: readonly string[];
}

/** What one kind of provider does differently from others. */
export interface ProviderRules {
  /** Path and query of an endpoint; `model` is the name at the upstream. */
  target: Target;
  /** The header that carries the provider's own key. */
  authorization: (secret: string) => readonly [name: string, value: string];
  /** Sent with every call, unless the client's own is forwarded. */
  headers: Readonly<Record<string, string>>;
  /** How the body of a conversation differs from what the vendor's own service takes; absent: not at all. */
  body: BodyRules | undefined;
  /** How its streams are framed; undefined: as server-sent events. */
  framing: UpstreamApi['framing'];
  /** What of the client's headers goes on. Its key, its cookies and all the rest stay here. */
  forwarded: Forwarded;
}

const OPENAI_FORWARDED: Forwarded = {
  names: [
    'openai-beta',
    'openai-organization',
    'openai-project',
    'idempotency-key',
    'x-client-request-id',
  ],
  replacing: ['openai-beta'],
};

/** For an interface whose requests have no such headers: the list goes into the body. */
const BETAS_ONLY: Forwarded = { names: [BETAS], replacing: [] };

const FORWARDED: Readonly<Record<UpstreamFormat, Forwarded>> = {
  openai: OPENAI_FORWARDED,
  vllm: OPENAI_FORWARDED,
  anthropic: {
    names: ['idempotency-key', 'x-client-request-id'],
    prefix: 'anthropic-',
    // They choose a workspace of the gateway's account, or whom the vendor bills.
    withheld: ['anthropic-user-profile-id', 'anthropic-workspace-id'],
    replacing: ['anthropic-beta', 'anthropic-version'],
  },
  gemini: { names: ['x-client-request-id'], replacing: [] },
};

function rulesOf(type: ProviderType, format: UpstreamFormat): ProviderRules {
  const { url, authHeader, headers, body, framing } = upstreamApiOf(type, format);
  return {
    target: targetOf(url),
    authorization: (secret) => authorizationOf(authHeader, secret),
    headers,
    body,
    framing,
    forwarded: body?.betasInBody ? BETAS_ONLY : FORWARDED[format],
  };
}

// Built once, because every call needs them.
const RULES = new Map(
  PROVIDER_TYPES.map((type) => [
    type,
    new Map(UPSTREAM_FORMATS.map((format) => [format, rulesOf(type, format)])),
  ]),
);

export function providerRulesOf(type: ProviderType, format: UpstreamFormat): ProviderRules {
  const rules = RULES.get(type)?.get(format);
  if (!rules) throw new RangeError(`no rules for ${type} with the format ${format}`);
  return rules;
}
