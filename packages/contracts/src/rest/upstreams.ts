import { z } from 'zod';

import { MODEL_TYPES, PROVIDER_TYPES } from '../enums';
import { DEFAULT_MAX_TOOL_CALLS } from '../units';
import { UPSTREAM_FORMATS } from '../upstream-apis';
import { endpoint } from './endpoint';
import { id } from './fields';
import { knownModel } from './known-models';
import { assumedOutputTokens, modelSettings } from './models';
import { priceCreate } from './price-amounts';
import { providerSecret } from './provider-keys';
import { providerHeaders, providerPath, providerSettings, providersPath } from './providers';

/** Checks of a provider's upstream: whether it answers, and which models it has. */

/** Faults of a provider, as its upstream showed them. */
export const UPSTREAM_FAULTS = [
  'address_refused',
  'name_not_found',
  'not_reachable',
  'tls_failed',
  'not_http',
  'timed_out',
  'key_missing',
  'key_refused',
  'not_permitted',
  'region_refused',
  'not_found',
  'redirected',
  'rate_limited',
  'rejected',
  'upstream_failed',
  'not_understood',
  'too_large',
  'not_testable',
] as const;
export type UpstreamFault = (typeof UPSTREAM_FAULTS)[number];

/** The provider's field to look at. */
export const PROVIDER_FIELDS = [
  'apiKey',
  'apiVersion',
  'baseUrl',
  'connectTimeoutMs',
  'upstreamFormat',
] as const;
export type ProviderField = (typeof PROVIDER_FIELDS)[number];

export const upstreamFailure = z
  .object({
    code: z.enum(UPSTREAM_FAULTS),
    field: z
      .enum(PROVIDER_FIELDS)
      .nullable()
      .meta({ description: 'The setting to correct; null: none, the upstream must recover.' }),
    message: z.string().meta({ description: 'Message for people; it never contains a key.' }),
    status: z
      .int()
      .nullable()
      .meta({ description: "The upstream's HTTP status; null: no response." }),
  })
  .meta({ id: 'UpstreamFailure' });
export type UpstreamFailure = z.output<typeof upstreamFailure>;

const keyTest = z.object({
  keyId: id.nullable().meta({ description: 'Null: a key that is not saved, or no key.' }),
  keyName: z.string().nullable(),
  ok: z.boolean(),
  latencyMs: z.int().meta({ description: 'Milliseconds until the response was complete.' }),
  models: z
    .int()
    .nullable()
    .meta({ description: 'Number of models on the first page of the list.' }),
  failure: upstreamFailure.nullable(),
});
export type KeyTest = z.output<typeof keyTest>;

export const providerTest = z
  .object({
    ok: z.boolean().meta({ description: 'Whether every tested key works.' }),
    results: z.array(keyTest).min(1),
  })
  .meta({ id: 'ProviderTest' });
export type ProviderTest = z.output<typeof providerTest>;

export const providerTestRequest = z
  .strictObject({
    keyId: id.optional().meta({ description: 'Absent: every active key.' }),
  })
  .meta({ id: 'ProviderTestRequest' });

/** Unsaved settings. A saved key is never sent to an unsaved address. */
export const providerDraft = z
  .strictObject({
    type: z.enum(PROVIDER_TYPES),
    upstreamFormat: z.enum(UPSTREAM_FORMATS).optional(),
    baseUrl: providerSettings.baseUrl,
    apiVersion: providerSettings.apiVersion.default(null),
    headers: providerHeaders.default({}),
    connectTimeoutMs: providerSettings.connectTimeoutMs.default(5_000),
    apiKey: providerSecret.optional(),
  })
  .meta({ id: 'ProviderDraft' });
export type ProviderDraft = z.output<typeof providerDraft>;

export const upstreamModel = z
  .object({
    upstreamModel: z.string(),
    displayName: z.string().nullable(),
    type: z.enum(MODEL_TYPES).meta({ description: "A guess from the model's name and methods." }),
    contextTokens: z
      .int()
      .nullable()
      .meta({ description: 'Null: the upstream does not state it.' }),
    maxOutputTokens: z
      .int()
      .nullable()
      .meta({ description: 'Null: the upstream does not state it.' }),
    modelId: id
      .nullable()
      .meta({ description: 'The registered model; null: it is not registered.' }),
    known: knownModel.nullable().meta({
      description: 'The model in the list of known models; null: the list does not know it.',
    }),
  })
  .meta({ id: 'UpstreamModel' });
export type UpstreamModel = z.output<typeof upstreamModel>;

export const discoverRequest = z
  .strictObject({
    keyId: id.optional().meta({ description: 'Key to ask with; absent: the first active key.' }),
    registered: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether to include models that are already registered.' }),
  })
  .meta({ id: 'DiscoverRequest' });

export const discovery = z
  .object({
    ok: z.boolean(),
    failure: upstreamFailure
      .nullable()
      .meta({ description: 'Why there is no list; null: there is one.' }),
    data: z.array(upstreamModel),
    truncated: z
      .boolean()
      .meta({ description: 'Whether the upstream has more models than this list.' }),
  })
  .meta({ id: 'Discovery' });
export type Discovery = z.output<typeof discovery>;

export const IMPORT_MAX_MODELS = 500;

const importedModel = z.strictObject({
  upstreamModel: modelSettings.upstreamModel,
  name: modelSettings.name
    .optional()
    .meta({ description: "Absent: the model's id at the upstream." }),
  type: modelSettings.type.default('chat'),
  contextTokens: modelSettings.contextTokens.default(128_000),
  defaultMaxOutputTokens: assumedOutputTokens,
  displayName: modelSettings.displayName.default(null),
  maxOutputTokens: modelSettings.maxOutputTokens.default(null),
  maxToolCalls: modelSettings.maxToolCalls.default(DEFAULT_MAX_TOOL_CALLS),
  capabilities: modelSettings.capabilities.default(null),
  status: modelSettings.status.default('ACTIVE'),
  price: priceCreate.optional().meta({
    description: 'Absent: no price. A model needs a price before limits of money apply to it.',
  }),
});
export type ImportedModel = z.output<typeof importedModel>;

export const modelImport = z
  .strictObject({
    models: z
      .array(importedModel)
      .min(1)
      .max(IMPORT_MAX_MODELS)
      .refine(
        (list) => new Set(list.map(({ upstreamModel: one }) => one)).size === list.length,
        'each model of the upstream once',
      ),
  })
  .meta({ id: 'ModelImport' });

export const IMPORT_OUTCOMES = [
  'CREATED',
  'EXISTS',
  'NAME_TAKEN',
  'NAME_INVALID',
  'NOT_SERVED',
] as const;

export const modelImported = z
  .object({
    created: z.int(),
    existing: z.int(),
    refused: z.int(),
    results: z.array(
      z.object({
        upstreamModel: z.string(),
        name: z.string(),
        outcome: z.enum(IMPORT_OUTCOMES),
        modelId: id.nullable().meta({ description: 'Null: no model was created.' }),
        message: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'ModelImported' });
export type ModelImported = z.output<typeof modelImported>;

const tag = 'Providers';

export const testProviderDraft = endpoint({
  id: 'testProviderDraft',
  tag,
  summary: 'Test unsaved settings by asking the upstream for its models; changes nothing',
  method: 'POST',
  path: `${providersPath}/test`,
  access: 'providers.write',
  body: providerDraft,
  response: providerTest,
});

export const testProvider = endpoint({
  id: 'testProvider',
  tag,
  summary: 'Test a provider with each of its keys by asking the upstream for its models',
  method: 'POST',
  path: `${providerPath}/test`,
  access: 'providers.write',
  body: providerTestRequest,
  response: providerTest,
});

export const discoverModels = endpoint({
  id: 'discoverModels',
  tag,
  summary: "Models in the upstream's own list that are not registered yet",
  method: 'POST',
  path: `${providerPath}/discover`,
  access: 'providers.write',
  body: discoverRequest,
  response: discovery,
});

export const importModels = endpoint({
  id: 'importModels',
  tag,
  summary: 'Register models of a provider in one transaction; idempotent',
  method: 'POST',
  path: `${providerPath}/models/import`,
  access: 'models.write',
  body: modelImport,
  response: modelImported,
  idempotent: true,
});
