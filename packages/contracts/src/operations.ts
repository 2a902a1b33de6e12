// What a request asks for, and which model types can do it.
import { isOneOf, type ModelType } from './enums';

const GENERATES_TEXT = ['chat', 'reasoning', 'audio'] as const;
const TEXT_ONLY = ['chat', 'reasoning'] as const;
const EMBEDS = ['embeddings'] as const;
const DRAWS = ['image'] as const;
const LISTENS = ['transcription', 'audio'] as const;

const SERVED_BY = {
  chat: GENERATES_TEXT,
  completions: TEXT_ONLY,
  responses: GENERATES_TEXT,
  embeddings: EMBEDS,
  image_generation: DRAWS,
  image_edit: DRAWS,
  image_variation: DRAWS,
  moderation: ['moderation'],
  transcription: LISTENS,
  translation: LISTENS,
  speech: ['tts', 'audio'],
  tokenize: TEXT_ONLY,
  detokenize: TEXT_ONLY,
  pooling: EMBEDS,
  classify: EMBEDS,
  score: EMBEDS,
  rerank: EMBEDS,
  count_tokens: GENERATES_TEXT,
  response_retrieve: GENERATES_TEXT,
  response_delete: GENERATES_TEXT,
  response_cancel: GENERATES_TEXT,
  response_input_items: GENERATES_TEXT,
  response_input_tokens: GENERATES_TEXT,
  response_compact: GENERATES_TEXT,
  conversation_create: GENERATES_TEXT,
  conversation_retrieve: GENERATES_TEXT,
  conversation_update: GENERATES_TEXT,
  conversation_delete: GENERATES_TEXT,
  conversation_items: GENERATES_TEXT,
  conversation_items_create: GENERATES_TEXT,
  conversation_item_retrieve: GENERATES_TEXT,
  conversation_item_delete: GENERATES_TEXT,
} as const satisfies Record<string, readonly ModelType[]>;

export type Operation = keyof typeof SERVED_BY;
export const OPERATIONS = Object.keys(SERVED_BY) as readonly Operation[];

/**
 * Operations on an MCP server. `mcp_call` counts in limits: a tool is called, a prompt or a resource is
 * read. `mcp_request` is every other JSON-RPC request, such as lists and handshakes.
 */
export const MCP_OPERATIONS = ['mcp_call', 'mcp_request'] as const;
export type McpOperation = (typeof MCP_OPERATIONS)[number];

/** JSON-RPC methods that are an `mcp_call`. */
export const MCP_CALL_METHODS = ['tools/call', 'prompts/get', 'resources/read'] as const;

export function mcpOperationOf(method: string): McpOperation {
  return isOneOf(MCP_CALL_METHODS, method) ? 'mcp_call' : 'mcp_request';
}

/** Whether a model of this type can do the operation; if not: 400 `unsupported_model`. */
export function operationServes(operation: Operation, modelType: ModelType): boolean {
  return (SERVED_BY[operation] as readonly ModelType[]).includes(modelType);
}

/** Operations that create, read or change a conversation stored at the provider. */
export const CONVERSATION_OPERATIONS = [
  'conversation_create',
  'conversation_retrieve',
  'conversation_update',
  'conversation_delete',
  'conversation_items',
  'conversation_items_create',
  'conversation_item_retrieve',
  'conversation_item_delete',
] as const satisfies readonly Operation[];

/** Operations on objects that a provider stores. */
const STORAGE: ReadonlySet<string> = new Set<Operation>([
  'response_retrieve',
  'response_delete',
  'response_cancel',
  'response_input_items',
  ...CONVERSATION_OPERATIONS,
]);

/** Operations that run no model and send none of its input. */
export function isStorageOperation(operation: string): boolean {
  return STORAGE.has(operation);
}

/** Operations that cost 0, whatever the price list says. */
const FREE: ReadonlySet<string> = new Set<string>([
  'count_tokens',
  'response_input_tokens',
  ...STORAGE,
]);

export function isFreeOperation(operation: string): boolean {
  return FREE.has(operation);
}

/** What a successful operation does to the owner's entry of a stored response or conversation. */
const STORED: Readonly<Partial<Record<Operation, 'keep' | 'forget'>>> = {
  responses: 'keep',
  response_delete: 'forget',
  conversation_create: 'keep',
  conversation_delete: 'forget',
};

export function storedEffectOf(operation: string): 'keep' | 'forget' | undefined {
  return isOneOf(OPERATIONS, operation) ? STORED[operation] : undefined;
}
