import { z } from 'zod';

import { API_KEY_TYPES, MODEL_TYPES } from '../enums';
import { regionSet } from '../regions';
import { endpoint } from './endpoint';
import {
  givenInstant,
  id,
  instant,
  keyUse,
  listQuery,
  name,
  page,
  patchOf,
  search,
  SWITCH_STATUSES,
} from './fields';
import { keyKeepBodies, keyKeeping } from './kept-bodies';
import { mcpGrant, mcpGrantInputs, mcpServerIds } from './mcp-rules';
import { modelGrant, modelIds, standingGrants } from './model-grants';
import { passthroughProviderIds } from './passthrough-rules';
import { keyResponseCache } from './response-cache';
import { trustedAttribution } from './trusted-attribution';

export const API_KEY_STATUSES = ['ACTIVE', 'EXPIRED', 'REVOKED'] as const;
export type ApiKeyStatus = (typeof API_KEY_STATUSES)[number];

export const apiKey = z
  .object({
    id,
    organisationId: id,
    name: z.string(),
    type: z.enum(API_KEY_TYPES),
    status: z.enum(API_KEY_STATUSES),
    preview: z.string(),
    teamId: id.nullable(),
    userId: id.nullable(),
    modelIds: z.array(id),
    modelGrants: z.array(modelGrant),
    mcpServerIds: z.array(id),
    mcpGrants: z.array(mcpGrant).meta({ description: 'Of the servers in mcpServerIds.' }),
    routingPolicyId: id.nullable().meta({
      description:
        "The key's routing policy, used while the organisation has routingEnabled; null: none.",
    }),
    allowedRegions: z.array(z.string()),
    passthroughProviderIds: z.array(id),
    trustedAttribution,
    ...keyKeeping,
    expiresAt: instant.nullable(),
    revokedAt: instant.nullable(),
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.output<typeof apiKey>;

export const apiKeyWithSecret = z
  .object({
    ...apiKey.shape,
    key: z.string().meta({ description: 'The API key. It is shown only in this response.' }),
  })
  .meta({ id: 'ApiKeyWithSecret' });
export type ApiKeyWithSecret = z.output<typeof apiKeyWithSecret>;

const allowedRegions = regionSet.meta({
  description: 'Regions in which requests of the key may be processed; empty: it adds no rule.',
});

/** Which owner fields a key type has. */
const owners = {
  ORGANISATION: { teamId: 'absent', userId: 'absent' },
  TEAM: { teamId: 'needed', userId: 'absent' },
  USER: { teamId: 'optional', userId: 'optional' },
} as const;

const eitherServersOrGrants = {
  code: 'custom' as const,
  path: ['mcpServerIds'],
  message: 'send either mcpServerIds or mcpGrants',
};

export const apiKeyCreate = z
  .strictObject({
    name,
    type: z.enum(API_KEY_TYPES),
    modelIds: modelIds.default([]),
    modelGrants: standingGrants.default([]),
    mcpServerIds: mcpServerIds.default([]),
    mcpGrants: mcpGrantInputs.default([]).meta({ description: 'Instead of mcpServerIds.' }),
    teamId: id.optional().meta({ description: "For a USER key: one of the user's teams." }),
    userId: id.optional().meta({ description: 'For a USER key: its user; absent: the caller.' }),
    routingPolicyId: id.nullable().default(null),
    allowedRegions: allowedRegions.default([]),
    passthroughProviderIds: passthroughProviderIds.default([]),
    trustedAttribution: trustedAttribution.optional(),
    responseCache: keyResponseCache.default(null),
    keepBodies: keyKeepBodies.default(true),
    expiresAt: givenInstant.optional(),
  })
  .superRefine((value, context) => {
    if (value.mcpServerIds.length > 0 && value.mcpGrants.length > 0) {
      context.addIssue(eitherServersOrGrants);
    }
    for (const field of ['teamId', 'userId'] as const) {
      const rule = owners[value.type][field];
      const given = value[field] !== undefined;
      if (rule === 'absent' && given) {
        context.addIssue({
          code: 'custom',
          path: [field],
          message: `a key of type ${value.type} has no ${field}`,
        });
      }
      if (rule === 'needed' && !given) {
        context.addIssue({
          code: 'custom',
          path: [field],
          message: `a key of type ${value.type} needs a ${field}`,
        });
      }
    }
  })
  .meta({ id: 'ApiKeyCreate' });
export type ApiKeyCreate = z.output<typeof apiKeyCreate>;

export const apiKeyPatch = patchOf({
  name,
  expiresAt: givenInstant.nullable(),
  modelIds,
  modelGrants: standingGrants,
  mcpServerIds,
  mcpGrants: mcpGrantInputs.meta({
    description: 'Replaces all grants of MCP servers. Send either this or mcpServerIds.',
  }),
  routingPolicyId: id.nullable(),
  allowedRegions,
  passthroughProviderIds,
  trustedAttribution,
  ...keyKeeping,
})
  .superRefine((value, context) => {
    if (value.mcpServerIds !== undefined && value.mcpGrants !== undefined) {
      context.addIssue(eitherServersOrGrants);
    }
  })
  .meta({ id: 'ApiKeyPatch' });
export type ApiKeyPatch = z.output<typeof apiKeyPatch>;

export const modelGrants = z.object({ modelIds: z.array(id) }).meta({ id: 'ModelGrants' });
export const modelGrantsPut = z.strictObject({ modelIds }).meta({ id: 'ModelGrantsPut' });

export const grantableModel = z
  .object({
    id,
    name: z.string(),
    displayName: z.string().nullable(),
    type: z.enum(MODEL_TYPES),
    contextTokens: z.int(),
    status: z.enum(SWITCH_STATUSES),
  })
  .meta({ id: 'GrantableModel' });
export type GrantableModel = z.output<typeof grantableModel>;

const tag = 'API keys';
const keysPath = '/api/organisations/:organisationId/apikeys';
const keyPath = '/api/organisations/:organisationId/apikeys/:apiKeyId';

export const listApiKeys = endpoint({
  id: 'listApiKeys',
  tag,
  summary: 'API keys; managers see those of their teams, users their own',
  method: 'GET',
  path: keysPath,
  access: 'apikeys.read',
  query: listQuery(['createdAt', 'name', 'spentUsd', 'lastUsedOn'], {
    search,
    type: z.enum(API_KEY_TYPES).optional(),
    status: z.enum(API_KEY_STATUSES).optional(),
    teamId: id.optional(),
    userId: id.optional(),
    modelId: id.optional(),
    mcpServerId: id.optional(),
    routingPolicyId: id.optional(),
  }),
  // In lists only: the ETag of a key must not change with its usage.
  response: page(apiKey.extend(keyUse).meta({ id: 'ListedApiKey' })),
});
export type ListedApiKey = z.output<typeof listApiKeys.response>['data'][number];

export const createApiKey = endpoint({
  id: 'createApiKey',
  tag,
  summary: 'Create an API key; the answer shows it once',
  method: 'POST',
  path: keysPath,
  access: 'apikeys.write',
  body: apiKeyCreate,
  response: apiKeyWithSecret,
  status: 201,
  secret: true,
});

export const getApiKey = endpoint({
  id: 'getApiKey',
  tag,
  summary: 'One API key',
  method: 'GET',
  path: keyPath,
  access: 'apikeys.read',
  response: apiKey,
  etag: true,
});

export const updateApiKey = endpoint({
  id: 'updateApiKey',
  tag,
  summary: "Change a key's name, end or grants",
  method: 'PATCH',
  path: keyPath,
  access: 'apikeys.write',
  body: apiKeyPatch,
  response: apiKey,
  etag: true,
});

export const revokeApiKey = endpoint({
  id: 'revokeApiKey',
  tag,
  summary: 'Revoke a key permanently; idempotent',
  method: 'POST',
  path: `${keyPath}/revoke`,
  access: 'apikeys.write',
  response: apiKey,
  etag: true,
});

export const rotateApiKey = endpoint({
  id: 'rotateApiKey',
  tag,
  summary: 'Replace the secret of a key: the old secret is refused at once; grants and limits stay',
  method: 'POST',
  path: `${keyPath}/rotate`,
  access: 'apikeys.write',
  response: apiKeyWithSecret,
  idempotent: true,
  secret: true,
});

export const getApiKeyModels = endpoint({
  id: 'getApiKeyModels',
  tag,
  summary: 'Models granted to a key individually',
  method: 'GET',
  path: `${keyPath}/models`,
  access: 'apikeys.read',
  response: modelGrants,
  etag: true,
});

export const setApiKeyModels = endpoint({
  id: 'setApiKeyModels',
  tag,
  summary: 'Replace the individually granted models of a key; its modelGrants stay',
  method: 'PUT',
  path: `${keyPath}/models`,
  access: 'apikeys.write',
  body: modelGrantsPut,
  response: modelGrants,
  etag: true,
});

export const listUsableModels = endpoint({
  id: 'listUsableModels',
  tag,
  summary: 'Models that a key may use now, by modelIds and modelGrants, without disabled ones',
  method: 'GET',
  path: `${keyPath}/usable-models`,
  access: 'apikeys.read',
  query: listQuery(['createdAt', 'name'], { search, type: z.enum(MODEL_TYPES).optional() }),
  response: page(grantableModel).extend({
    total: z.int().meta({ description: 'The number of items on all pages.' }),
  }),
});

export const listGrantableModels = endpoint({
  id: 'listGrantableModels',
  tag,
  summary:
    'Models that the caller may grant to a key; for users, those of their own keys and teams',
  method: 'GET',
  path: '/api/organisations/:organisationId/grantable-models',
  access: 'apikeys.write',
  query: listQuery(['createdAt', 'name'], {
    search,
    type: z.enum(MODEL_TYPES).optional(),
    status: z.enum(SWITCH_STATUSES).optional(),
  }),
  response: page(grantableModel),
});
