// The gateway's model routes, as data. A new endpoint is a row. Its codec is a folder of `formats`,
// or its operation a function of `operations`; its upstreams are rows of `upstream/endpoints.ts`.

import { PATH_NAMES, vendorByType, type Operation, type RouteFamily } from '@tollgate/contracts';

import type { FormatName } from './formats';

/** Where a client may send its key. The first place that holds one counts. */
export type KeyPlace = { bearer: true } | { header: string } | { query: string };

/** Where the model's name is found, and whether a stream is requested. */
export type ModelPlace =
  | { in: 'body' }
  | { in: 'path'; parameter: string; stream: boolean; batch?: boolean }
  /** In a header, which may be absent. */
  | { in: 'header'; name: string }
  /** Nowhere: a stored object belongs to the model that created it, found by the ids in the path. */
  | { in: 'stored'; body?: true };

export type Method = 'GET' | 'POST' | 'DELETE';

export interface Route {
  method: Method;
  /** The route's name in records and metrics. */
  path: string;
  /** The pattern for Express, if it is written differently. */
  match?: string;
  /** The client's format; for relayed operations only of errors. */
  format: FormatName;
  /** Another format, for clients that request it in the query. */
  formatByQuery?: { name: string; value: string; format: FormatName };
  operation: Operation;
  /** Determines which providers the route may use, and the format of errors for unknown routes. */
  family: RouteFamily;
  model: ModelPlace;
  keys: readonly KeyPlace[];
}

const BEARER: readonly KeyPlace[] = [{ bearer: true }];
/** SDKs of the messages format send either header, depending on their version. */
export const MESSAGES_KEYS: readonly KeyPlace[] = [{ bearer: true }, { header: 'x-api-key' }];
/** The header of the vendor's own SDKs, and `x-<name>-api-key` for each of the vendor's names. */
export const GENERATE_KEY_HEADERS: readonly string[] = [
  'x-goog-api-key',
  ...['provider-c', 'provider_c', ...vendorByType('PROVIDER_C').names].map(
    (name) => `x-${name}-api-key`,
  ),
];
export const GENERATE_KEYS: readonly KeyPlace[] = [
  { bearer: true },
  ...GENERATE_KEY_HEADERS.map((header) => ({ header })),
  { query: 'key' },
];

type Row = readonly [path: string, operation: Operation, format?: FormatName];

function rows(family: RouteFamily, prefix: string, list: readonly Row[]): Route[] {
  return list.map(([path, operation, format = 'openai-chat']) => ({
    method: 'POST',
    path: prefix + path,
    format,
    operation,
    family,
    model: { in: 'body' },
    keys: family === 'anthropic' ? MESSAGES_KEYS : BEARER,
  }));
}

type StoredRow = readonly [method: Method, path: string, operation: Operation, body?: 'json'];

function stored(family: RouteFamily, prefix: string, list: readonly StoredRow[]): Route[] {
  return list.map(([method, path, operation, body]) => ({
    method,
    path: prefix + path,
    format: 'openai-responses',
    operation,
    family,
    model: { in: 'stored', ...(body ? { body: true as const } : {}) },
    keys: BEARER,
  }));
}

const UNIFIED = rows('unified', '/v1', [['/llm/chat', 'chat', 'unified']]);

const OPENAI = rows('openai', '/v1', [
  ['/chat/completions', 'chat'],
  ['/responses', 'responses', 'openai-responses'],
  ['/responses/input_tokens', 'response_input_tokens', 'openai-responses'],
  ['/responses/compact', 'response_compact', 'openai-responses'],
  ['/completions', 'completions'],
  ['/embeddings', 'embeddings'],
  ['/images/generations', 'image_generation'],
  ['/images/edits', 'image_edit'],
  ['/images/variations', 'image_variation'],
  ['/moderations', 'moderation'],
  ['/audio/speech', 'speech'],
  ['/audio/transcriptions', 'transcription'],
  ['/audio/translations', 'translation'],
]);

const STORED_RESPONSES = [
  ['GET', '/responses/:response_id', 'response_retrieve'],
  ['DELETE', '/responses/:response_id', 'response_delete'],
  ['POST', '/responses/:response_id/cancel', 'response_cancel'],
  ['GET', '/responses/:response_id/input_items', 'response_input_items'],
] as const satisfies StoredRow[];

/** The model only determines which provider stores the conversation. */
const NEW_CONVERSATION: Route = {
  method: 'POST',
  path: '/v1/conversations',
  format: 'openai-responses',
  operation: 'conversation_create',
  family: 'openai',
  model: { in: 'header', name: 'x-tollgate-model' },
  keys: BEARER,
};

const CONVERSATION = '/conversations/:conversation_id';
const CONVERSATIONS = [
  ['GET', CONVERSATION, 'conversation_retrieve'],
  ['POST', CONVERSATION, 'conversation_update', 'json'],
  ['DELETE', CONVERSATION, 'conversation_delete'],
  ['GET', `${CONVERSATION}/items`, 'conversation_items'],
  ['POST', `${CONVERSATION}/items`, 'conversation_items_create', 'json'],
  ['GET', `${CONVERSATION}/items/:item_id`, 'conversation_item_retrieve'],
  ['DELETE', `${CONVERSATION}/items/:item_id`, 'conversation_item_delete'],
] as const satisfies StoredRow[];

const ANTHROPIC = rows('anthropic', '/v1', [
  ['/messages', 'chat', 'anthropic-messages'],
  ['/messages/count_tokens', 'count_tokens', 'anthropic-messages'],
]);

const VLLM = PATH_NAMES.flatMap((name) =>
  rows('vllm', `/v1/${name}`, [
    ['/chat/completions', 'chat'],
    ['/responses', 'responses', 'openai-responses'],
    ['/completions', 'completions'],
    ['/embeddings', 'embeddings'],
    ['/audio/transcriptions', 'transcription'],
    ['/audio/translations', 'translation'],
    ['/tokenize', 'tokenize'],
    ['/detokenize', 'detokenize'],
    ['/pooling', 'pooling'],
    ['/classify', 'classify'],
    ['/score', 'score'],
    ['/rerank', 'rerank'],
  ]),
);

/** The server keeps responses in memory, and neither lists nor deletes them. */
const VLLM_STORED = [
  ['GET', '/responses/:response_id', 'response_retrieve'],
  ['POST', '/responses/:response_id/cancel', 'response_cancel'],
] as const satisfies StoredRow[];

interface GenerateMethod {
  name: string;
  operation: Operation;
  stream?: true;
  batch?: true;
}

const GENERATE_METHODS: readonly GenerateMethod[] = [
  { name: 'generateContent', operation: 'chat' },
  { name: 'streamGenerateContent', operation: 'chat', stream: true },
  { name: 'countTokens', operation: 'count_tokens' },
  { name: 'embedContent', operation: 'embeddings' },
  { name: 'batchEmbedContents', operation: 'embeddings', batch: true },
];

// The vendor's SDKs use either prefix, depending on their version. Clients that do not ask for
// events get a stream as one JSON array.
const GENERATE = ['/v1beta/models', '/v1/models'].flatMap((prefix) =>
  GENERATE_METHODS.map(({ name, operation, stream = false, batch = false }): Route => ({
    method: 'POST',
    path: `${prefix}/:model:${name}`,
    match: `${prefix}/*model\\:${name}`,
    format: stream ? 'gemini-generate-array' : 'gemini-generate',
    ...(stream
      ? { formatByQuery: { name: 'alt', value: 'sse', format: 'gemini-generate' as const } }
      : {}),
    operation,
    family: 'gemini',
    model: { in: 'path', parameter: 'model', stream, batch },
    keys: GENERATE_KEYS,
  })),
);

/** One MCP server for each path, with any method. What is asked for is in the body. */
export const MCP_PATH = '/v1/mcp/:identifier';
/** The same server, where an access token does not say which organisation it is of. */
export const MCP_ORGANISATION_PATH = '/v1/mcp/:organisation/:identifier';
export const MCP_KEYS: readonly KeyPlace[] = [{ bearer: true }, { header: 'x-api-key' }];

/** A client that is made for any vendor sends its key where that vendor expects it, but not in the query. */
export const PASSTHROUGH_KEYS: readonly KeyPlace[] = [
  { bearer: true },
  ...['x-api-key', 'api-key', ...GENERATE_KEY_HEADERS].map((header) => ({ header })),
];

export const ROUTES: readonly Route[] = [
  ...UNIFIED,
  ...OPENAI,
  ...stored('openai', '/v1', STORED_RESPONSES),
  NEW_CONVERSATION,
  ...stored('openai', '/v1', CONVERSATIONS),
  ...ANTHROPIC,
  ...GENERATE,
  ...VLLM,
  ...PATH_NAMES.flatMap((name) => stored('vllm', `/v1/${name}`, VLLM_STORED)),
];

/** The client's format of one request. */
export function formatOf({ format, formatByQuery }: Route, url: string): FormatName {
  if (!formatByQuery) return format;
  const query = url.indexOf('?');
  const asked = query < 0 ? null : new URLSearchParams(url.slice(query)).get(formatByQuery.name);
  return asked === formatByQuery.value ? formatByQuery.format : format;
}

/** The error format for unknown routes below a prefix. The first match counts. */
export const ERROR_FORMATS: readonly { method?: string; prefix: string; format: FormatName }[] = [
  { prefix: '/v1/llm/', format: 'unified' },
  { prefix: '/v1/messages', format: 'anthropic-messages' },
  { prefix: '/v1beta/', format: 'gemini-generate' },
  { method: 'POST', prefix: '/v1/models/', format: 'gemini-generate' },
  { prefix: '/', format: 'openai-chat' },
];

/** Headers by which the SDKs of families that share a path are distinguished. */
export const FAMILY_HEADERS = {
  'anthropic-messages': ['anthropic-version', 'x-api-key'],
  'gemini-generate': GENERATE_KEY_HEADERS,
} as const satisfies Partial<Record<FormatName, readonly string[]>>;

/** By the path, or by the headers if the path belongs to no family. */
export function errorFormatOf(
  method: string,
  path: string,
  headers: Readonly<Record<string, unknown>> = {},
): FormatName {
  const row = ERROR_FORMATS.find(
    (row) => path.startsWith(row.prefix) && (row.method ?? method) === method,
  );
  if (row && row.prefix !== '/') return row.format;
  const sends = (names: readonly string[]) => names.some((name) => headers[name] !== undefined);
  if (sends(FAMILY_HEADERS['anthropic-messages'])) return 'anthropic-messages';
  if (sends(FAMILY_HEADERS['gemini-generate'])) return 'gemini-generate';
  return row?.format ?? 'openai-chat';
}
