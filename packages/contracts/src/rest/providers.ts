import { z } from 'zod';

import { PROVIDER_TYPES } from '../enums';
import { regionName } from '../regions';
import { UPSTREAM_FORMATS } from '../upstream-apis';
import { endpoint } from './endpoint';
import {
  id,
  instant,
  listQuery,
  name,
  page,
  patchOf,
  search,
  spentThisMonth,
  SWITCH_STATUSES,
} from './fields';
import { passthroughRule, passthroughRules } from './passthrough-rules';
import { providerKey, providerKeyCreate, providerSecret } from './provider-keys';

export const provider = z
  .object({
    id,
    organisationId: id,
    name: z.string(),
    type: z.enum(PROVIDER_TYPES),
    upstreamFormat: z.enum(UPSTREAM_FORMATS),
    baseUrl: z.string(),
    apiVersion: z.string().nullable(),
    nativeResponses: z.boolean(),
    region: z.string().nullable(),
    headers: z.record(z.string(), z.string()),
    timeoutMs: z.int(),
    connectTimeoutMs: z.int(),
    firstByteTimeoutMs: z.int(),
    idleTimeoutMs: z.int(),
    passthroughRules: z.array(passthroughRule),
    status: z.enum(SWITCH_STATUSES),
    connectionVersion: z.int(),
    apiKeys: z.array(providerKey),
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'Provider' });
export type Provider = z.output<typeof provider>;

/** Headers that the gateway sets itself, or that would expose a secret. */
const OWN_HEADERS =
  /^(authorization|proxy-.*|api-key|x-api-key|x-goog-api-key|cookie|host|content-length|content-type|content-encoding|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|accept-encoding)$/i;

export const providerHeaders = z
  .record(
    z
      .string()
      .max(100)
      .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'not a header name')
      .refine((value) => !OWN_HEADERS.test(value), 'this header is set by the gateway'),
    z
      .string()
      .max(1000)
      .regex(/^[\x20-\x7e]*$/, 'printable ASCII only'),
  )
  .refine((value) => Object.keys(value).length <= 20, 'at most 20 headers');

const timeout = (max: number) => z.int().min(100).max(max);

/** Connection settings of a provider, each with its limits. */
export const providerSettings = {
  name,
  baseUrl: z.url({ protocol: /^https?$/ }).max(500),
  apiVersion: z.string().trim().min(1).max(50).nullable(),
  nativeResponses: z.boolean().meta({
    description:
      'For CUSTOM providers of the format openai: whether they have the Responses API, with stored responses and conversations. Default: false.',
  }),
  region: regionName.nullable().meta({
    description:
      'Where the upstream processes requests. Null: unknown, so no key with allowed regions uses it.',
  }),
  headers: providerHeaders,
  timeoutMs: timeout(3_600_000),
  connectTimeoutMs: timeout(60_000),
  firstByteTimeoutMs: timeout(3_600_000),
  idleTimeoutMs: timeout(3_600_000),
  passthroughRules,
  status: z.enum(SWITCH_STATUSES),
};

export const providerCreate = z
  .strictObject({
    ...providerSettings,
    type: z.enum(PROVIDER_TYPES),
    upstreamFormat: z.enum(UPSTREAM_FORMATS).optional().meta({
      description:
        'Required for CUSTOM, PROVIDER_G (gemini, anthropic) and PROVIDER_H (anthropic, openai); every other type has its own format.',
    }),
    apiKey: providerSecret.optional().meta({ description: 'Shorthand for one entry of apiKeys.' }),
    apiKeys: z.array(providerKeyCreate).max(20).default([]),
    apiVersion: providerSettings.apiVersion.default(null),
    nativeResponses: providerSettings.nativeResponses.default(false),
    region: providerSettings.region.default(null),
    headers: providerHeaders.default({}),
    timeoutMs: providerSettings.timeoutMs.default(600_000),
    connectTimeoutMs: providerSettings.connectTimeoutMs.default(5_000),
    firstByteTimeoutMs: providerSettings.firstByteTimeoutMs.default(120_000),
    idleTimeoutMs: providerSettings.idleTimeoutMs.default(60_000),
    passthroughRules: passthroughRules.default([]),
    status: providerSettings.status.default('ACTIVE'),
  })
  .meta({ id: 'ProviderCreate' });
export type ProviderCreate = z.output<typeof providerCreate>;

export const providerPatch = patchOf(providerSettings).meta({ id: 'ProviderPatch' });
export type ProviderPatch = z.output<typeof providerPatch>;

const tag = 'Providers';
export const providersPath = '/api/organisations/:organisationId/providers';
export const providerPath = '/api/organisations/:organisationId/providers/:providerId';

export const listedProvider = provider
  .extend({ spentUsd: spentThisMonth })
  .meta({ id: 'ListedProvider' });
export type ListedProvider = z.output<typeof listedProvider>;

export const listProviders = endpoint({
  id: 'listProviders',
  tag,
  summary: 'Upstream providers',
  method: 'GET',
  path: providersPath,
  access: 'providers.read',
  query: listQuery(['createdAt', 'name', 'spentUsd'], {
    search,
    type: z.enum(PROVIDER_TYPES).optional(),
    status: z.enum(SWITCH_STATUSES).optional(),
  }),
  response: page(listedProvider),
});

export const createProvider = endpoint({
  id: 'createProvider',
  tag,
  summary: 'Create a provider; its keys are encrypted and shown as previews only',
  method: 'POST',
  path: providersPath,
  access: 'providers.write',
  body: providerCreate,
  response: provider,
  status: 201,
});

export const getProvider = endpoint({
  id: 'getProvider',
  tag,
  summary: 'One provider',
  method: 'GET',
  path: providerPath,
  access: 'providers.read',
  response: provider,
  etag: true,
});

export const updateProvider = endpoint({
  id: 'updateProvider',
  tag,
  summary: 'Change a provider; running requests finish on the connection with which they began',
  method: 'PATCH',
  path: providerPath,
  access: 'providers.write',
  body: providerPatch,
  response: provider,
  etag: true,
});

export const deleteProvider = endpoint({
  id: 'deleteProvider',
  tag,
  summary: 'Delete a provider that no model uses',
  method: 'DELETE',
  path: providerPath,
  access: 'providers.write',
});
