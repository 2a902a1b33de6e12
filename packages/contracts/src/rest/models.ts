import { z } from 'zod';

import { CAPABILITIES, MODEL_TYPES } from '../enums';
import { DEFAULT_MAX_TOOL_CALLS, UNITS, type Unit } from '../units';
import { endpoint } from './endpoint';
import {
  count,
  givenInstant,
  id,
  instant,
  listQuery,
  page,
  patchOf,
  search,
  SWITCH_STATUSES,
  usd,
  usdAmount,
} from './fields';

const optionalPrice = usd.optional();

/** US dollars per million tokens; absent classes cost the plain input or output price. */
const priceStepCreate = z
  .strictObject({
    fromInputTokens: count.default(0),
    input: usd,
    cacheRead: optionalPrice,
    cacheWrite5m: optionalPrice,
    cacheWrite1h: optionalPrice,
    audioInput: optionalPrice,
    output: usd,
    audioOutput: optionalPrice,
  })
  .meta({
    id: 'PriceStepCreate',
    description: 'US dollars per million tokens, for inputs of at least fromInputTokens.',
  });

const priceStep = z
  .object({
    fromInputTokens: z.int(),
    input: usdAmount,
    cacheRead: usdAmount,
    cacheWrite5m: usdAmount,
    cacheWrite1h: usdAmount,
    audioInput: usdAmount,
    output: usdAmount,
    audioOutput: usdAmount,
  })
  .meta({ id: 'PriceStep' });

// Only known units: a price of any other name would never be charged.
const unit = z.enum(Object.keys(UNITS) as [Unit, ...Unit[]]);

const steps = z
  .array(priceStepCreate)
  .min(1)
  .max(9)
  .refine(
    (list) =>
      list.every((step, n) =>
        n === 0
          ? step.fromInputTokens === 0
          : step.fromInputTokens > (list[n - 1]?.fromInputTokens ?? 0),
      ),
    'the first step begins at 0 input tokens, each further one later than the one before',
  );

const amounts = {
  steps,
  perRequestUsd: usd.default('0'),
  perUnitUsd: z
    .partialRecord(unit, usd)
    .default({})
    .meta({ description: 'US dollars per unit, such as audio_second or an image of one size.' }),
};

/** A price without its validity. */
export const priceListCreate = z.strictObject(amounts).meta({ id: 'PriceListCreate' });
export type PriceListCreate = z.output<typeof priceListCreate>;

export const priceCreate = z
  .strictObject({
    effectiveFrom: givenInstant.optional().meta({ description: 'Absent: now.' }),
    ...amounts,
  })
  .meta({ id: 'PriceCreate' });
export type PriceCreate = z.output<typeof priceCreate>;

const answeredAmounts = {
  steps: z.array(priceStep),
  perRequestUsd: usdAmount,
  perUnitUsd: z.record(z.string(), usdAmount),
};

export const priceList = z.object(answeredAmounts).meta({ id: 'PriceList' });
export type PriceList = z.output<typeof priceList>;

export const price = z
  .object({ id, effectiveFrom: instant, ...answeredAmounts, createdAt: instant })
  .meta({ id: 'Price' });
export type Price = z.output<typeof price>;

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
    status: z.enum(SWITCH_STATUSES),
    currentPrice: price.nullable().meta({ description: 'Null: no price is in effect.' }),
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'Model' });
export type Model = z.output<typeof model>;

const modelName = z
  .string()
  .max(200)
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

export const listModels = endpoint({
  id: 'listModels',
  tag,
  summary: 'Models of the organisation',
  method: 'GET',
  path: modelsPath,
  access: 'models.read',
  query: listQuery(['createdAt', 'name'], {
    search,
    type: z.enum(MODEL_TYPES).optional(),
    providerId: id.optional(),
    status: z.enum(SWITCH_STATUSES).optional(),
  }),
  response: page(model),
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
