import { z } from 'zod';

import { MCP_TRANSPORTS } from '../enums';
import { endpoint } from './endpoint';
import { id, instant, listQuery, name, page, patchOf, search, SWITCH_STATUSES } from './fields';
import { upstreamSecret } from './provider-keys';
import { providerHeaders } from './providers';

/** Tool servers that keys can be granted. This release has no route that serves them. */

export const mcpServer = z
  .object({
    id,
    organisationId: id,
    identifier: z.string().meta({ description: "The server's name in paths. It never changes." }),
    name: z.string(),
    transport: z.enum(MCP_TRANSPORTS),
    url: z.string().nullable().meta({ description: 'Null for STDIO.' }),
    command: z.string().nullable().meta({
      description: 'For STDIO only; shown only to callers who may change the server.',
    }),
    args: z
      .array(z.string())
      .meta({ description: 'Empty for callers who may not change the server.' }),
    headers: z
      .record(z.string(), z.string())
      .meta({ description: 'Empty for callers who may not change the server.' }),
    secretPreview: z.string().nullable().meta({ description: 'Null: it has no secret.' }),
    timeoutMs: z.int(),
    status: z.enum(SWITCH_STATUSES),
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'McpServer' });
export type McpServer = z.output<typeof mcpServer>;

const settings = {
  name,
  url: z.url({ protocol: /^https?$/ }).max(500),
  command: z.string().trim().min(1).max(500).meta({
    description: 'A command that the gateway runs; only platform administrators may set it.',
  }),
  args: z.array(z.string().max(1000)).max(50),
  headers: providerHeaders,
  secret: upstreamSecret.meta({
    description: 'Sent as a bearer token. Stored encrypted, and shown as a preview only.',
  }),
  timeoutMs: z.int().min(100).max(3_600_000),
  status: z.enum(SWITCH_STATUSES),
};

export const mcpServerCreate = z
  .strictObject({
    ...settings,
    identifier: z
      .string()
      .max(63)
      .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/, 'lower-case letters, digits and inner hyphens'),
    transport: z.enum(MCP_TRANSPORTS).default('STREAMABLE_HTTP'),
    url: settings.url.optional(),
    command: settings.command.optional(),
    args: settings.args.default([]),
    headers: settings.headers.default({}),
    secret: settings.secret.optional(),
    timeoutMs: settings.timeoutMs.default(60_000),
    status: settings.status.default('ACTIVE'),
  })
  .superRefine((value, context) => {
    const [wanted, other] =
      value.transport === 'STDIO' ? (['command', 'url'] as const) : (['url', 'command'] as const);
    const say = (path: string, message: string): void => {
      context.addIssue({ code: 'custom', path: [path], message });
    };
    if (value[wanted] === undefined) say(wanted, `transport ${value.transport} needs one`);
    if (value[other] !== undefined) say(other, `transport ${value.transport} has none`);
    if (wanted === 'url' && value.args.length > 0) say('args', 'only a command has arguments');
  })
  .meta({ id: 'McpServerCreate' });
export type McpServerCreate = z.output<typeof mcpServerCreate>;

export const mcpServerPatch = patchOf({
  ...settings,
  secret: settings.secret.nullable().meta({ description: 'Null: removes the secret.' }),
}).meta({ id: 'McpServerPatch' });
export type McpServerPatch = z.output<typeof mcpServerPatch>;

/** The most keys that one call grants. */
export const MCP_GRANT_MAX_KEYS = 1000;

export const mcpGrantsAdd = z
  .strictObject({
    apiKeyIds: z.array(id).max(MCP_GRANT_MAX_KEYS).default([]),
    teamIds: z.array(id).max(100).default([]).meta({
      description: 'All current keys that charge one of these teams; later keys are not included.',
    }),
  })
  .refine((value) => value.apiKeyIds.length + value.teamIds.length > 0, {
    path: ['apiKeyIds'],
    message: 'name a key or a team',
  })
  .meta({ id: 'McpGrantsAdd' });

export const mcpGrantsAdded = z
  .object({
    added: z.int().meta({ description: 'Keys that did not have the grant before.' }),
    apiKeyIds: z.array(id).meta({ description: 'All keys that were addressed.' }),
  })
  .meta({ id: 'McpGrantsAdded' });

const mcpServerIds = z
  .array(id)
  .max(200)
  .refine((ids) => new Set(ids).size === ids.length, 'each server once');

export const mcpGrants = z.object({ mcpServerIds: z.array(id) }).meta({ id: 'McpGrants' });
export const mcpGrantsPut = z.strictObject({ mcpServerIds }).meta({ id: 'McpGrantsPut' });

const tag = 'MCP servers';
const serversPath = '/api/organisations/:organisationId/mcp-servers';
const serverPath = '/api/organisations/:organisationId/mcp-servers/:mcpServerId';
const grantsPath = '/api/organisations/:organisationId/apikeys/:apiKeyId/mcp-servers';

export const listMcpServers = endpoint({
  id: 'listMcpServers',
  tag,
  summary: 'MCP servers of the organisation',
  method: 'GET',
  path: serversPath,
  access: 'mcp-servers.read',
  query: listQuery(['createdAt', 'name'], {
    search,
    transport: z.enum(MCP_TRANSPORTS).optional(),
    status: z.enum(SWITCH_STATUSES).optional(),
    apiKeyId: id.optional().meta({ description: 'Only servers that this key is granted.' }),
  }),
  response: page(mcpServer),
});

export const createMcpServer = endpoint({
  id: 'createMcpServer',
  tag,
  summary: 'Register an MCP server',
  method: 'POST',
  path: serversPath,
  access: 'mcp-servers.write',
  body: mcpServerCreate,
  response: mcpServer,
  status: 201,
});

export const getMcpServer = endpoint({
  id: 'getMcpServer',
  tag,
  summary: 'One MCP server',
  method: 'GET',
  path: serverPath,
  access: 'mcp-servers.read',
  response: mcpServer,
  etag: true,
});

export const updateMcpServer = endpoint({
  id: 'updateMcpServer',
  tag,
  summary: 'Change an MCP server',
  method: 'PATCH',
  path: serverPath,
  access: 'mcp-servers.write',
  body: mcpServerPatch,
  response: mcpServer,
  etag: true,
});

export const deleteMcpServer = endpoint({
  id: 'deleteMcpServer',
  tag,
  summary: 'Delete an MCP server with its secret and grants',
  method: 'DELETE',
  path: serverPath,
  access: 'mcp-servers.write',
});

export const addMcpGrants = endpoint({
  id: 'addMcpGrants',
  tag,
  summary: 'Grant an MCP server to keys, or to the current keys of teams',
  method: 'POST',
  path: `${serverPath}/grants`,
  access: 'mcp-servers.write',
  body: mcpGrantsAdd,
  response: mcpGrantsAdded,
  idempotent: true,
});

export const getApiKeyMcpServers = endpoint({
  id: 'getApiKeyMcpServers',
  tag,
  summary: 'MCP servers granted to a key',
  method: 'GET',
  path: grantsPath,
  access: 'apikeys.read',
  response: mcpGrants,
  etag: true,
});

export const setApiKeyMcpServers = endpoint({
  id: 'setApiKeyMcpServers',
  tag,
  summary: 'Replace the MCP servers granted to a key',
  method: 'PUT',
  path: grantsPath,
  access: 'apikeys.write',
  body: mcpGrantsPut,
  response: mcpGrants,
  etag: true,
});
