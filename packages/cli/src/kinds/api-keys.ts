import { API_KEY_TYPES, defaultTrust, rest, TRUSTED_ATTRIBUTIONS } from '@tollgate/contracts';
import { z } from 'zod';

import { namesOf, objectName, pick, reference, uniqueNames } from './fields';
import type { Kind, Values } from './kind';

const created = rest.apiKeyCreate.shape;
const { mcpServerId: _id, ...rules } = rest.mcpGrantInput.shape;

const [all, , byPattern] = rest.modelGrant.options;
const modelGrant = z.discriminatedUnion('kind', [
  all,
  z.strictObject({ kind: z.literal('PROVIDER'), provider: objectName }),
  byPattern,
]);

const spec = z
  .strictObject({
    type: z.enum(API_KEY_TYPES),
    team: objectName.nullable().default(null),
    user: objectName.nullable().default(null).meta({ description: 'Of a USER key: its user.' }),
    models: uniqueNames(1_000).default([]),
    modelGrants: z.array(modelGrant).max(100).default([]),
    mcpServers: z
      .array(z.strictObject({ server: objectName, ...rules }))
      .max(rest.MCP_GRANTS_MAX)
      .refine(
        (list) => new Set(list.map(({ server }) => server)).size === list.length,
        'each server once',
      )
      .default([]),
    routingPolicy: objectName.nullable().default(null),
    allowedRegions: created.allowedRegions,
    passthroughProviders: uniqueNames(rest.PASSTHROUGH_PROVIDERS_MAX).default([]).meta({
      description: 'Providers whose passthrough rules the key may use.',
    }),
    trustedAttribution: z
      .enum(TRUSTED_ATTRIBUTIONS)
      .nullable()
      .default(null)
      .meta({ description: 'Absent: HEADERS for a key of type ORGANISATION, else NONE.' }),
    responseCache: created.responseCache,
    keepBodies: created.keepBodies,
    expiresAt: created.expiresAt.nullable().default(null),
  })
  .refine(({ type, user }) => (type === 'USER') === (user !== null), {
    path: ['user'],
    message: 'a key of type USER has a user, no other key has one',
  })
  .refine(({ type, team }) => type !== 'TEAM' || team !== null, {
    path: ['team'],
    message: 'a key of type TEAM needs a team',
  })
  .refine(({ type, team }) => type !== 'ORGANISATION' || team === null, {
    path: ['team'],
    message: 'a key of type ORGANISATION has no team',
  });

const trustOf = ({ trustedAttribution, type }: z.output<typeof spec>) =>
  trustedAttribution ?? defaultTrust(type);

/** An API key. Its secret is shown once, when it is created. */
export const apiKeys: Kind<rest.ApiKey> = {
  kind: 'ApiKey',
  level: 'organisation',
  name: rest.name,
  repeats: true,
  spec,
  idParameter: 'apiKeyId',
  sets: ['models', 'modelGrants', 'mcpServers', 'allowedRegions', 'passthroughProviders'],
  renamed: {
    team: 'teamId',
    user: 'userId',
    models: 'modelIds',
    mcpServers: 'mcpGrants',
    passthroughProviders: 'passthroughProviderIds',
    routingPolicy: 'routingPolicyId',
  },
  showsSecret: () => true,
  operations: () => ({
    create: rest.createApiKey,
    get: rest.getApiKey,
    update: rest.updateApiKey,
    remove: rest.revokeApiKey,
  }),
  list: async (api, { organisation }) => {
    const params = { organisationId: organisation?.id ?? '' };
    const rows = await api.all(rest.listApiKeys, params, { sort: 'createdAt' });
    return rows.filter(({ status }) => status !== 'REVOKED');
  },
  idOf: (row) => row.id,
  changedAt: (row) => row.updatedAt,
  ended: (row) => (row.status === 'EXPIRED' ? 'it has expired' : undefined),
  read: (row, names) => ({
    name: row.name,
    spec: {
      type: row.type,
      team: row.teamId === null ? null : (names.of('Team', row.teamId)?.name ?? null),
      user: row.userId === null ? null : (names.of('User', row.userId)?.name ?? null),
      models: namesOf('Model', row.modelIds, names),
      modelGrants: row.modelGrants.flatMap((grant): Values[] => {
        if (grant.kind !== 'PROVIDER') return [grant];
        const provider = names.of('Provider', grant.providerId)?.name;
        return provider === undefined ? [] : [{ kind: grant.kind, provider }];
      }),
      mcpServers: row.mcpGrants.flatMap(({ mcpServerId, ...allowed }) => {
        const server = names.of('McpServer', mcpServerId)?.name;
        return server === undefined ? [] : [{ server, ...allowed }];
      }),
      routingPolicy:
        row.routingPolicyId === null
          ? null
          : (names.of('RoutingPolicy', row.routingPolicyId)?.name ?? null),
      allowedRegions: row.allowedRegions,
      passthroughProviders: namesOf('Provider', row.passthroughProviderIds, names),
      trustedAttribution: row.trustedAttribution,
      responseCache: row.responseCache,
      keepBodies: row.keepBodies,
      expiresAt: row.expiresAt,
    },
  }),
  // Absent rules allow everything, which the installation writes out.
  normal: (given) => {
    const key = spec.parse(given);
    return {
      ...key,
      trustedAttribution: trustOf(key),
      mcpServers: key.mcpServers.map((one) => ({
        server: one.server,
        ...rest.MCP_EVERYTHING,
        ...pick(one, rest.MCP_RULE_KINDS),
      })),
    };
  },
  references: (given) => {
    const key = spec.parse(given);
    return [
      ...reference('Team', key.team, ['team']),
      ...reference('User', key.user, ['user']),
      ...key.models.flatMap((model, index) => reference('Model', model, ['models', index])),
      ...key.modelGrants.flatMap((grant, index) =>
        grant.kind === 'PROVIDER'
          ? reference('Provider', grant.provider, ['modelGrants', index, 'provider'])
          : [],
      ),
      ...key.mcpServers.flatMap(({ server }, index) =>
        reference('McpServer', server, ['mcpServers', index, 'server']),
      ),
      ...key.passthroughProviders.flatMap((provider, index) =>
        reference('Provider', provider, ['passthroughProviders', index]),
      ),
      ...reference('RoutingPolicy', key.routingPolicy, ['routingPolicy']),
    ];
  },
  body: (given, ids, name) => {
    const key = spec.parse(given);
    const { team, user, models, modelGrants, mcpServers, routingPolicy, type, ...fields } = key;
    return {
      name,
      type,
      ...(team === null ? {} : { teamId: ids.of('Team', team) }),
      ...(user === null ? {} : { userId: ids.of('User', user) }),
      modelIds: models.map((model) => ids.of('Model', model)),
      modelGrants: modelGrants.map((grant) =>
        grant.kind === 'PROVIDER'
          ? { kind: grant.kind, providerId: ids.of('Provider', grant.provider) }
          : grant,
      ),
      mcpGrants: mcpServers.map(({ server, ...allowed }) => ({
        mcpServerId: ids.of('McpServer', server),
        ...allowed,
      })),
      routingPolicyId: routingPolicy === null ? null : ids.of('RoutingPolicy', routingPolicy),
      allowedRegions: fields.allowedRegions,
      passthroughProviderIds: fields.passthroughProviders.map((provider) =>
        ids.of('Provider', provider),
      ),
      trustedAttribution: trustOf(key),
      responseCache: key.responseCache,
      keepBodies: key.keepBodies,
      expiresAt: fields.expiresAt,
    };
  },
};
