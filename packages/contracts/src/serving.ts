// Which route can use which model. One table for the form that registers a model, the API behind
// it, policy's checks, and the model lists of SDKs. The edge's tables of routes and endpoints are
// tested against it.
import { isOneOf, type ModelType, type ProviderType } from './enums';
import { CONVERSATION_OPERATIONS, OPERATIONS, operationServes, type Operation } from './operations';
import { UPSTREAM_FORMATS, type UpstreamFormat } from './upstream-apis';
import { familyServes, ROUTE_FAMILIES, vendorByType, type RouteFamily } from './vendors';

const OPENAI_LIKE = ['openai', 'vllm'] as const;
const VLLM = ['vllm'] as const;

/** Upstream formats that support an operation, natively or by translation. */
const UPSTREAMS_DOING: Readonly<Record<Operation, readonly UpstreamFormat[]>> = {
  chat: UPSTREAM_FORMATS,
  completions: OPENAI_LIKE,
  responses: UPSTREAM_FORMATS,
  embeddings: ['openai', 'vllm', 'gemini'],
  // vLLM's omni server generates images and speech.
  image_generation: OPENAI_LIKE,
  image_edit: OPENAI_LIKE,
  image_variation: ['openai'],
  moderation: ['openai'],
  transcription: OPENAI_LIKE,
  translation: OPENAI_LIKE,
  speech: OPENAI_LIKE,
  tokenize: VLLM,
  detokenize: VLLM,
  pooling: VLLM,
  classify: VLLM,
  score: VLLM,
  rerank: VLLM,
  // Where the provider cannot count, the gateway estimates.
  count_tokens: UPSTREAM_FORMATS,
  response_retrieve: OPENAI_LIKE,
  response_cancel: OPENAI_LIKE,
  response_delete: ['openai'],
  response_input_items: ['openai'],
  response_input_tokens: ['openai'],
  response_compact: ['openai'],
  conversation_create: ['openai'],
  conversation_retrieve: ['openai'],
  conversation_update: ['openai'],
  conversation_delete: ['openai'],
  conversation_items: ['openai'],
  conversation_items_create: ['openai'],
  conversation_item_retrieve: ['openai'],
  conversation_item_delete: ['openai'],
};

/** Operations of the format `openai` that belong to the Responses API. */
const OF_NATIVE_RESPONSES: ReadonlySet<Operation> = new Set<Operation>([
  'response_retrieve',
  'response_cancel',
  'response_delete',
  'response_input_items',
  'response_input_tokens',
  'response_compact',
  ...CONVERSATION_OPERATIONS,
]);

/** Whether a provider may declare that it has the Responses API. Every other one has it or has it not. */
export function mayDeclareResponses(type: ProviderType, format: UpstreamFormat): boolean {
  return format === 'openai' && vendorByType(type).responsesApi === 'declared';
}

/** Whether a provider of the format `openai` has the Responses API: it is asked for responses in it. */
export function hasNativeResponses(type: ProviderType, declared = false): boolean {
  return declared || vendorByType(type).responsesApi === 'always';
}

/**
 * Whether a provider of this kind can do the operation; if not: 400 `unsupported_model`.
 * `nativeResponses`: it declares that it has the Responses API.
 */
export function providerServes(
  type: ProviderType,
  format: UpstreamFormat,
  operation: Operation,
  nativeResponses = false,
): boolean {
  const ofResponses = format === 'openai' && OF_NATIVE_RESPONSES.has(operation);
  return (
    UPSTREAMS_DOING[operation].includes(format) &&
    !vendorByType(type).lacks.includes(operation) &&
    (!ofResponses || hasNativeResponses(type, nativeResponses))
  );
}

/** The operations that each family has a route for. */
export const FAMILY_OPERATIONS: Readonly<Record<RouteFamily, readonly Operation[]>> = {
  unified: ['chat'],
  openai: [
    'chat',
    'responses',
    'completions',
    'embeddings',
    'image_generation',
    'image_edit',
    'image_variation',
    'moderation',
    'speech',
    'transcription',
    'translation',
    'response_retrieve',
    'response_delete',
    'response_cancel',
    'response_input_items',
    'response_input_tokens',
    'response_compact',
    ...CONVERSATION_OPERATIONS,
  ],
  anthropic: ['chat', 'count_tokens'],
  gemini: ['chat', 'count_tokens', 'embeddings'],
  vllm: [
    'chat',
    'responses',
    'completions',
    'embeddings',
    'transcription',
    'translation',
    'tokenize',
    'detokenize',
    'pooling',
    'classify',
    'score',
    'rerank',
    'response_retrieve',
    'response_cancel',
  ],
};

/** What decides where a model can be used. */
export interface ServedModel {
  readonly type: ModelType;
  readonly providerType: ProviderType;
  readonly upstreamFormat: UpstreamFormat;
}

const FAMILIES = Object.keys(ROUTE_FAMILIES) as readonly RouteFamily[];

/** The families with a route that can use the model; empty: none. */
export function familiesServing(
  { type, providerType, upstreamFormat }: ServedModel,
  openCompatRoutes: boolean,
): RouteFamily[] {
  const can = OPERATIONS.filter(
    (operation) =>
      operationServes(operation, type) && providerServes(providerType, upstreamFormat, operation),
  );
  return FAMILIES.filter(
    (family) =>
      familyServes(family, providerType, openCompatRoutes) &&
      can.some((operation) => isOneOf(FAMILY_OPERATIONS[family], operation)),
  );
}

/** Why no route can use the model, and what to do; undefined: one can. */
export function whyUnserved(model: ServedModel, openCompatRoutes: boolean): string | undefined {
  if (familiesServing(model, openCompatRoutes).length > 0) return undefined;
  const { title } = vendorByType(model.providerType);
  const models = `models of type ${model.type} of a provider of type ${model.providerType} (${title})`;
  return familiesServing(model, true).length > 0
    ? `no route serves ${models} while the organisation's setting openCompatRoutes is off; switch it on in the settings, or choose another provider`
    : `no route serves ${models} in the format ${model.upstreamFormat}; choose another type or another provider`;
}
