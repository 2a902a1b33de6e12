import { z } from 'zod';
import { PROVIDER_TYPES } from '../enums';
import { UPSTREAM_FORMATS } from '../vendors';
import { endpoint } from './endpoint';
import { id, instant, listQuery, name, page, patchOf, search, SWITCH_STATUSES } from './fields';

export const providerKey = z
  .object({
    id,
    name: z.string(),
    preview: z
      .string()
      .meta({ description: 'The last characters; the key itself is never answered.' }),
    weight: z.int(),
    createdAt: instant,
  })
  .meta({ id: 'ProviderKey' });
export type ProviderKey = z.output<typeof providerKey>;

export const provider = z
  .object({
    id,
    organisationId: id,
    name: z.string(),
    type: z.enum(PROVIDER_TYPES),
    upstreamFormat: z.enum(UPSTREAM_FORMATS),
    baseUrl: z.string(),
    apiVersion: z.string().nullable(),
    headers: z.record(z.string(), z.string()),
    timeoutMs: z.int(),
    connectTimeoutMs: z.int(),
    firstByteTimeoutMs: z.int(),
    idleTimeoutMs: z.int(),
    status: z.enum(SWITCH_STATUSES),
    connectionVersion: z.int(),
    apiKeys: z.array(providerKey),
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'Provider' });
export type Provider = z.output<typeof provider>;

/** Headers that the gateway itself sets, or that would carry a secret in the open. */
const OWN_HEADERS =
  /^(authorization|proxy-.*|api-key|x-api-key|x-goog-api-key|cookie|host|content-length|content-type|content-encoding|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|accept-encoding)$/i;

const headers = z
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

const secret = z
  .string()
  .min(1)
  .max(2000)
  .regex(/^[\x21-\x7e]+$/, 'printable ASCII without spaces');
const weight = z.int().min(1).max(1000);
const timeout = (max: number) => z.int().min(100).max(max);

const settings = {
  name,
  baseUrl: z.url({ protocol: /^https?$/ }).max(500),
  apiVersion: z.string().trim().min(1).max(50).nullable(),
  headers,
  timeoutMs: timeout(3_600_000),
  connectTimeoutMs: timeout(60_000),
  firstByteTimeoutMs: timeout(3_600_000),
  idleTimeoutMs: timeout(3_600_000),
  status: z.enum(SWITCH_STATUSES),
};

export const providerKeyCreate = z
  .strictObject({ name: name.default('default'), apiKey: secret, weight: weight.default(1) })
  .meta({ id: 'ProviderKeyCreate' });
export type ProviderKeyCreate = z.output<typeof providerKeyCreate>;

export const providerKeyPatch = patchOf({
  name,
  weight,
}).meta({ id: 'ProviderKeyPatch' });
export type ProviderKeyPatch = z.output<typeof providerKeyPatch>;

export const providerCreate = z
  .strictObject({
    ...settings,
    type: z.enum(PROVIDER_TYPES),
    upstreamFormat: z
      .enum(UPSTREAM_FORMATS)
      .optional()
      .meta({ description: 'Needed for CUSTOM; every other type has its own.' }),
    apiKey: secret.optional().meta({ description: 'Short for one entry of apiKeys.' }),
    apiKeys: z.array(providerKeyCreate).max(20).default([]),
    apiVersion: settings.apiVersion.default(null),
    headers: headers.default({}),
    timeoutMs: settings.timeoutMs.default(600_000),
    connectTimeoutMs: settings.connectTimeoutMs.default(5_000),
    firstByteTimeoutMs: settings.firstByteTimeoutMs.default(120_000),
    idleTimeoutMs: settings.idleTimeoutMs.default(60_000),
    status: settings.status.default('ACTIVE'),
  })
  .meta({ id: 'ProviderCreate' });
export type ProviderCreate = z.output<typeof providerCreate>;

export const providerPatch = patchOf(settings).meta({ id: 'ProviderPatch' });
export type ProviderPatch = z.output<typeof providerPatch>;

const tag = 'Providers';
const providersPath = '/api/organisations/:organisationId/providers';
const providerPath = '/api/organisations/:organisationId/providers/:providerId';

export const listProviders = endpoint({
  id: 'listProviders',
  tag,
  summary: 'Upstream providers',
  method: 'GET',
  path: providersPath,
  access: 'providers.read',
  query: listQuery(['createdAt', 'name'], {
    search,
    type: z.enum(PROVIDER_TYPES).optional(),
    status: z.enum(SWITCH_STATUSES).optional(),
  }),
  response: page(provider),
});

export const createProvider = endpoint({
  id: 'createProvider',
  tag,
  summary: 'Create a provider; its keys are sealed and shown as previews only',
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
  summary: 'Change a provider: running requests finish on the connection they began with',
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

export const listProviderKeys = endpoint({
  id: 'listProviderKeys',
  tag,
  summary: 'Keys of a provider, as previews',
  method: 'GET',
  path: `${providerPath}/keys`,
  access: 'providers.read',
  query: listQuery(['createdAt'], {}),
  response: page(providerKey),
});

export const addProviderKey = endpoint({
  id: 'addProviderKey',
  tag,
  summary: 'Add a key to a provider',
  method: 'POST',
  path: `${providerPath}/keys`,
  access: 'providers.write',
  body: providerKeyCreate,
  response: providerKey,
  status: 201,
});

export const updateProviderKey = endpoint({
  id: 'updateProviderKey',
  tag,
  summary: "Change a provider key's name or weight",
  method: 'PATCH',
  path: `${providerPath}/keys/:keyId`,
  access: 'providers.write',
  body: providerKeyPatch,
  response: providerKey,
});

export const deleteProviderKey = endpoint({
  id: 'deleteProviderKey',
  tag,
  summary: 'Delete a provider key',
  method: 'DELETE',
  path: `${providerPath}/keys/:keyId`,
  access: 'providers.write',
});
