import { z } from 'zod';

import { endpoint } from './endpoint';
import { id } from './fields';
import { mcpGrant, mcpGrantInputs, mcpRulesInput, mcpServerIds } from './mcp-rules';
import { mcpServerPath } from './mcp-servers';

/** Grants of MCP servers to keys, each with its rules. */

/** The most keys that one call grants. */
export const MCP_GRANT_MAX_KEYS = 1000;

export const mcpGrantsAdd = z
  .strictObject({
    apiKeyIds: z.array(id).max(MCP_GRANT_MAX_KEYS).default([]),
    teamIds: z.array(id).max(100).default([]).meta({
      description: 'All current keys that charge one of these teams; later keys are not included.',
    }),
    tools: mcpRulesInput.tools.optional(),
    prompts: mcpRulesInput.prompts.optional(),
    resources: mcpRulesInput.resources.optional(),
  })
  .refine((value) => value.apiKeyIds.length + value.teamIds.length > 0, {
    path: ['apiKeyIds'],
    message: 'name a key or a team',
  })
  .meta({
    id: 'McpGrantsAdd',
    description:
      'Rules that are absent allow everything. A key that has the grant already keeps its own rules.',
  });

export const mcpGrantsAdded = z
  .object({
    added: z.int().meta({ description: 'Keys that did not have the grant before.' }),
    apiKeyIds: z.array(id).meta({ description: 'All keys that were addressed.' }),
  })
  .meta({ id: 'McpGrantsAdded' });

export const mcpGrants = z
  .object({ mcpServerIds: z.array(id), grants: z.array(mcpGrant) })
  .meta({ id: 'McpGrants' });
export type McpGrants = z.output<typeof mcpGrants>;

export const mcpGrantsPut = z
  .strictObject({
    mcpServerIds: mcpServerIds.optional().meta({
      description:
        "Instead of grants: servers that stay keep the rules of their grants. Those that a user adds get the rules of the user's own grant.",
    }),
    grants: mcpGrantInputs.optional(),
  })
  .superRefine(({ mcpServerIds: ids, grants }, context) => {
    if (ids === undefined && grants === undefined) {
      context.addIssue({ code: 'custom', path: ['grants'], message: 'is missing' });
    }
    if (ids !== undefined && grants !== undefined) {
      context.addIssue({
        code: 'custom',
        path: ['mcpServerIds'],
        message: 'send either mcpServerIds or grants',
      });
    }
  })
  .meta({ id: 'McpGrantsPut' });

const tag = 'MCP servers';
const grantsPath = '/api/organisations/:organisationId/apikeys/:apiKeyId/mcp-servers';

export const addMcpGrants = endpoint({
  id: 'addMcpGrants',
  tag,
  summary: 'Grant an MCP server to keys, or to the current keys of teams',
  method: 'POST',
  path: `${mcpServerPath}/grants`,
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
