// Lists the models that a key may use, in the shape of each family of clients.

import { gatewayError, PATH_NAMES, type RouteFamily } from '@tollgate/contracts';
import type { GrantedModel__Output, ValidateKeyReply__Output } from '@tollgate/contracts/node';
import type { Request } from 'express';

import type { FormatName } from '../formats';
import { FAMILY_HEADERS, GENERATE_KEYS, MESSAGES_KEYS, type KeyPlace } from '../routes';

type Model = GrantedModel__Output;

export interface ModelShape {
  /** The format of errors. */
  format: FormatName;
  keys: readonly KeyPlace[];
  /** The family whose clients read the list; models that its routes cannot use are left out. */
  family: RouteFamily | 'any';
  one: (model: Model, nowMs: number) => object;
  all: (models: readonly object[], from: readonly Model[]) => object;
}

const OPENAI: ModelShape = {
  format: 'openai-chat',
  keys: [{ bearer: true }],
  // Clients of this list may also call the unified route.
  family: 'any',
  one: (model) => ({
    id: model.name,
    object: 'model',
    created: Math.floor(model.createdAtMs / 1_000),
    owned_by: model.provider,
    type: model.type,
    context_window: model.contextTokens || null,
    max_output_tokens: model.outputTokenLimit || model.defaultMaxOutputTokens || null,
  }),
  all: (data) => ({ object: 'list', data }),
};

const VLLM: ModelShape = {
  ...OPENAI,
  family: 'vllm',
  one: (model) => ({
    id: model.name,
    object: 'model',
    created: Math.floor(model.createdAtMs / 1_000),
    owned_by: model.provider,
    root: model.name,
    parent: null,
    max_model_len: model.contextTokens || null,
    permission: [],
  }),
};

function isDeprecated({ retirement }: Model, nowMs: number): boolean {
  const { deprecatedAtMs = 0 } = retirement ?? {};
  return deprecatedAtMs > 0 && deprecatedAtMs <= nowMs;
}

const ANTHROPIC: ModelShape = {
  format: 'anthropic-messages',
  keys: MESSAGES_KEYS,
  family: 'anthropic',
  one: (model, nowMs) => ({
    type: 'model',
    id: model.name,
    display_name: model.displayName || model.name,
    created_at: new Date(model.createdAtMs).toISOString(),
    max_input_tokens: inputLimit(model) ?? null,
    max_tokens: outputLimit(model) ?? null,
    capabilities: null,
    deprecated_at: instantOf(model.retirement?.deprecatedAtMs),
    lifecycle: isDeprecated(model, nowMs) ? 'deprecated' : 'active',
    line: null,
    retires_at: instantOf(model.retirement?.sunsetAtMs),
  }),
  all: (data, from) => ({
    data,
    has_more: false,
    first_id: from[0]?.name ?? null,
    last_id: from.at(-1)?.name ?? null,
  }),
};

const GENERATES = ['generateContent', 'streamGenerateContent', 'countTokens'];
const EMBEDS = ['embedContent', 'batchEmbedContents'];

const GEMINI: ModelShape = {
  format: 'gemini-generate',
  keys: GENERATE_KEYS,
  family: 'gemini',
  one: (model) => ({
    name: `models/${model.name}`,
    version: '001',
    displayName: model.displayName || model.name,
    inputTokenLimit: inputLimit(model),
    outputTokenLimit: outputLimit(model),
    supportedGenerationMethods: model.type === 'embeddings' ? EMBEDS : GENERATES,
  }),
  all: (models) => ({ models }),
};

/** Policy names the families that can use a model; an earlier version names none. */
function lists({ family }: ModelShape, { families }: Model): boolean {
  if (families === '') return true;
  return family === 'any' ? families !== 'none' : families.split(',').includes(family);
}

function instantOf(ms = 0): string | null {
  return ms === 0 ? null : new Date(ms).toISOString();
}

function inputLimit(model: Model): number | undefined {
  return model.inputTokenLimit || model.contextTokens || undefined;
}

function outputLimit(model: Model): number | undefined {
  return model.outputTokenLimit || model.defaultMaxOutputTokens || undefined;
}

/** Three families share the path of the list. */
const TOLD_BY: readonly { shape: ModelShape; asks: (req: Request) => boolean }[] = [
  { shape: ANTHROPIC, asks: sends(FAMILY_HEADERS['anthropic-messages']) },
  {
    shape: GEMINI,
    asks: (req) => sends(FAMILY_HEADERS['gemini-generate'])(req) || req.query['key'] !== undefined,
  },
];

function sends(names: readonly string[]) {
  return ({ headers }: Request): boolean => names.some((name) => headers[name] !== undefined);
}

export interface ModelRoute {
  methods: readonly ('get' | 'post')[];
  /** The path of the list; a single model is below it. */
  path: string;
  shape: (req: Request) => ModelShape;
}

export const MODEL_ROUTES: readonly ModelRoute[] = [
  {
    methods: ['get'],
    path: '/v1/models',
    shape: (req) => TOLD_BY.find(({ asks }) => asks(req))?.shape ?? OPENAI,
  },
  { methods: ['get'], path: '/v1beta/models', shape: () => GEMINI },
  ...PATH_NAMES.map((name): ModelRoute => ({
    methods: ['get', 'post'],
    path: `/v1/${name}/models`,
    shape: () => VLLM,
  })),
];

export function describeModels(
  shape: ModelShape,
  { models }: ValidateKeyReply__Output,
  nowMs: number,
): object {
  const listed = models.filter((model) => lists(shape, model));
  const data = listed.map((model) => shape.one(model, nowMs));
  return shape.all(data, listed);
}

/** @throws GatewayError `model_not_found` */
export function describeModel(
  shape: ModelShape,
  { models }: ValidateKeyReply__Output,
  { name, nowMs }: { readonly name: string; readonly nowMs: number },
): object {
  const model = models.find((candidate) => candidate.name === name && lists(shape, candidate));
  if (!model) throw gatewayError('model_not_found', undefined, { param: 'model' });
  return shape.one(model, nowMs);
}
