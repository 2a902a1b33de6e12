import { z } from 'zod';

import { MODEL_NAME_CHARACTERS } from '../aliases';
import { CAPABILITIES, MODEL_TYPES } from '../enums';
import { regionSet } from '../regions';
import { DEFAULT_MAX_TOOL_CALLS } from '../units';
import { endpoint } from './endpoint';
import {
  id,
  instant,
  listQuery,
  page,
  patchOf,
  search,
  spentThisMonth,
  SWITCH_STATUSES,
} from './fields';
import { listPrice } from './known-models';
import { price, priceCreate } from './price-amounts';
import { retirement, retirementGiven } from './retirement';

export const model = z
  .object({
    id,
    organisationId: id,
    name: z.string(),
    providerId: id,
    upstreamModel: z.string(),
    type: z.enum(MODEL_TYPES),
    contextTokens: z.int(),
    defaultMaxOutputTokens: z.int().nullable(),
    displayName: z
      .string()
      .nullable()
      .meta({ description: "The name for people; null: the model's name." }),
    maxOutputTokens: z.int().nullable().meta({ description: 'Null: not known.' }),
    maxToolCalls: z.int(),
    capabilities: z
      .array(z.enum(CAPABILITIES))
      .nullable()
      .meta({ description: 'Null: not known.' }),
    allowedRegions: z.array(z.string()),
    retirement: retirement.nullable(),
    status: z.enum(SWITCH_STATUSES),
    currentPrice: price.nullable().meta({ description: 'Null: no price is in effect.' }),
    listPrice: listPrice.nullable().meta({
      description:
        'The price in the list of known models, which never changes a stored price; null: the list does not know the model.',
    }),
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'Model' });
export type Model = z.output<typeof model>;

const modelName = z
  .string()
  .max(MODEL_NAME_CHARACTERS)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:/@+-]*$/, 'letters, digits and . _ : / @ + - only');

const outputTokens = z.int().min(1).max(10_000_000);

/** Settings of a model, each with its limits. */
export const modelSettings = {
  name: modelName,
  providerId: id,
  upstreamModel: z.string().trim().min(1).max(300),
  type: z.enum(MODEL_TYPES),
  contextTokens: z.int().min(1).max(100_000_000),
  defaultMaxOutputTokens: outputTokens.nullable(),
  displayName: z.string().trim().min(1).max(200).nullable().meta({
    description: 'The name for people, in lists of models.',
  }),
  maxOutputTokens: outputTokens.nullable().meta({
    description: 'The maximum of output tokens of one answer.',
  }),
  maxToolCalls: z.int().min(1).max(1_000).meta({
    description:
      'How many calls of each server tool (web search and so on) are held for a request that sets no limit itself. Default: 10.',
  }),
  capabilities: z
    .array(z.enum(CAPABILITIES))
    .max(CAPABILITIES.length)
    .refine((list) => new Set(list).size === list.length, 'each once')
    .nullable()
    .meta({
      description:
        "The model's abilities beside text. Routing leaves the model out of requests that need others; null: unknown, the model is never left out.",
    }),
  allowedRegions: regionSet.meta({
    description:
      'Regions in which requests to the model may be processed; empty: it adds no rule. If set, its provider must be in one of them.',
  }),
  retirement: retirementGiven,
  status: z.enum(SWITCH_STATUSES),
};

/** Output bound of a new model without known limits. */
const UNKNOWN_OUTPUT_TOKENS = 4_096;

export const assumedOutputTokens = modelSettings.defaultMaxOutputTokens.optional().meta({
  description: `The output bound in tokens of requests that name none. Absent: \`maxOutputTokens\`, or ${UNKNOWN_OUTPUT_TOKENS} if that is unknown.`,
});

/** The output bound that a new model gives to requests without one. */
export function assumedOutputOf({
  defaultMaxOutputTokens,
  maxOutputTokens,
}: {
  readonly defaultMaxOutputTokens?: number | null | undefined;
  readonly maxOutputTokens: number | null;
}): number | null {
  if (defaultMaxOutputTokens !== undefined) return defaultMaxOutputTokens;
  return maxOutputTokens ?? UNKNOWN_OUTPUT_TOKENS;
}

export const modelCreate = z
  .strictObject({
    ...modelSettings,
    upstreamModel: modelSettings.upstreamModel
      .optional()
      .meta({ description: "The model's name at its provider; absent: the same name." }),
    type: modelSettings.type.default('chat'),
    contextTokens: modelSettings.contextTokens.default(128_000),
    defaultMaxOutputTokens: assumedOutputTokens,
    displayName: modelSettings.displayName.default(null),
    maxOutputTokens: modelSettings.maxOutputTokens.default(null),
    maxToolCalls: modelSettings.maxToolCalls.default(DEFAULT_MAX_TOOL_CALLS),
    capabilities: modelSettings.capabilities.default(null),
    allowedRegions: modelSettings.allowedRegions.default([]),
    retirement: modelSettings.retirement.default(null),
    status: modelSettings.status.default('ACTIVE'),
    prices: z.array(priceCreate).max(20).default([]),
  })
  .meta({ id: 'ModelCreate' });
export type ModelCreate = z.output<typeof modelCreate>;

export const modelPatch = patchOf(modelSettings).meta({ id: 'ModelPatch' });
export type ModelPatch = z.output<typeof modelPatch>;

const tag = 'Models';
export const modelsPath = '/api/organisations/:organisationId/models';
export const modelPath = '/api/organisations/:organisationId/models/:modelId';

export const listedModel = model.extend({ spentUsd: spentThisMonth }).meta({ id: 'ListedModel' });
export type ListedModel = z.output<typeof listedModel>;

export const listModels = endpoint({
  id: 'listModels',
  tag,
  summary: 'Models of the organisation',
  method: 'GET',
  path: modelsPath,
  access: 'models.read',
  query: listQuery(['createdAt', 'name', 'spentUsd'], {
    search,
    type: z.enum(MODEL_TYPES).optional(),
    providerId: id.optional(),
    status: z.enum(SWITCH_STATUSES).optional(),
  }),
  response: page(listedModel),
});

export const createModel = endpoint({
  id: 'createModel',
  tag,
  summary: 'Create a model, with its prices',
  method: 'POST',
  path: modelsPath,
  access: 'models.write',
  body: modelCreate,
  response: model,
  status: 201,
});

export const getModel = endpoint({
  id: 'getModel',
  tag,
  summary: 'One model',
  method: 'GET',
  path: modelPath,
  access: 'models.read',
  response: model,
  etag: true,
});

export const updateModel = endpoint({
  id: 'updateModel',
  tag,
  summary: 'Change a model',
  method: 'PATCH',
  path: modelPath,
  access: 'models.write',
  body: modelPatch,
  response: model,
  etag: true,
});

export const deleteModel = endpoint({
  id: 'deleteModel',
  tag,
  summary: 'Delete a model with its grants and limits; its usage records are kept',
  method: 'DELETE',
  path: modelPath,
  access: 'models.write',
});
