import { z } from 'zod';

import { MCP_TRANSPORTS } from '../enums';
import { regionName } from '../regions';
import { endpoint } from './endpoint';
import {
  id,
  instant,
  listQuery,
  name,
  page,
  patchOf,
  search,
  SWITCH_STATUSES,
  usd,
  usdAmount,
} from './fields';
import { mcpAuth, mcpHeaders } from './mcp-auth';
import { MCP_NAME_MAX, mcpRulesAnswer, mcpRulesInput } from './mcp-rules';
import { upstreamSecret } from './provider-keys';

/** Tool servers that keys can be granted, served at `/v1/mcp/:identifier`. */

/** The most tools of one server that have a price of their own, and the most that are pinned. */
export const MCP_MAX_TOOLS = 200;

const toolName = z
  .string()
  .min(1)
  .max(MCP_NAME_MAX)
  .regex(/^\P{Cc}+$/u, 'no control characters');

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, '64 hexadecimal digits in lower case');

export const mcpToolPin = z.strictObject({ name: toolName, sha256 }).meta({
  id: 'McpToolPin',
  description:
    'A tool is refused while the SHA-256 of its definition in canonical JSON (RFC 8785) is another one.',
});
export type McpToolPin = z.output<typeof mcpToolPin>;

const FOR_WRITERS = 'Null for callers who may not change the server.';

export const mcpServer = z
  .object({
    id,
    organisationId: id,
    identifier: z.string().meta({ description: "The server's name in paths. It never changes." }),
    name: z.string(),
    transport: z.enum(MCP_TRANSPORTS),
    url: z.string().nullable().meta({ description: 'Null for STDIO.' }),
    command: z
      .string()
      .nullable()
      .meta({
        description: `For STDIO only: the name of a command in the runner's own file. ${FOR_WRITERS}`,
      }),
    headers: z
      .record(z.string(), z.string())
      .meta({ description: 'Empty for callers who may not change the server.' }),
    auth: mcpAuth.nullable().meta({ description: FOR_WRITERS }),
    secretPreview: z.string().nullable().meta({ description: 'Null: it has no secret.' }),
    connectTimeoutMs: z.int(),
    idleTimeoutMs: z
      .int()
      .meta({ description: 'Longest silence of the server while a request waits for it.' }),
    timeoutMs: z.int().meta({ deprecated: true, description: 'The former name of idleTimeoutMs.' }),
    callPriceUsd: usdAmount.meta({
      description: 'Price of a call of a tool without a price of its own, a prompt or a resource.',
    }),
    toolPricesUsd: z.record(z.string(), usdAmount),
    chargeFailures: z
      .boolean()
      .meta({ description: 'Whether a call costs its price when the server fails.' }),
    ...mcpRulesAnswer,
    pinnedTools: z.array(mcpToolPin),
    region: z.string().nullable(),
    connectionVersion: z.int().meta({
      description:
        'Rises with every change of how the server is reached. Sessions begin again then.',
    }),
    status: z.enum(SWITCH_STATUSES),
    statusNote: z
      .string()
      .nullable()
      .meta({ description: 'Why the gateway disabled the server. Null: it did not.' }),
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'McpServer' });
export type McpServer = z.output<typeof mcpServer>;

/** A command in the runner's own file. */
export const MCP_COMMAND_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;

const settings = {
  name,
  url: z.url({ protocol: /^https?$/ }).max(500),
  command: z
    .string()
    .regex(MCP_COMMAND_NAME, 'lower-case letters, digits and hyphens, at most 63')
    .meta({
      description:
        "For STDIO: the name of a command in the runner's own file. Only platform administrators may set it.",
    }),
  headers: mcpHeaders,
  auth: mcpAuth,
  secret: upstreamSecret.meta({
    description:
      'What auth sends; for STDIO, what the command gets in its environment. Stored encrypted, and shown as a preview only.',
  }),
  connectTimeoutMs: z.int().min(100).max(60_000),
  idleTimeoutMs: z.int().min(100).max(3_600_000),
  timeoutMs: z
    .int()
    .min(100)
    .max(3_600_000)
    .meta({ deprecated: true, description: 'The former name of idleTimeoutMs.' }),
  callPriceUsd: usd,
  toolPricesUsd: z
    .record(toolName, usd)
    .refine(
      (prices) => Object.keys(prices).length <= MCP_MAX_TOOLS,
      `at most ${MCP_MAX_TOOLS} tools`,
    )
    .meta({ description: 'Price of a call by tool, instead of callPriceUsd.' }),
  chargeFailures: z.boolean(),
  ...mcpRulesInput,
  pinnedTools: z
    .array(mcpToolPin)
    .max(MCP_MAX_TOOLS)
    .refine((pins) => new Set(pins.map((pin) => pin.name)).size === pins.length, 'each tool once'),
  region: regionName.nullable().meta({
    description:
      'Where the server processes requests. Null: unknown, so no key with allowed regions uses it.',
  }),
  status: z.enum(SWITCH_STATUSES),
};

type Issue = readonly [path: string, message: string];

export const MCP_IDLE_TIMEOUT_MS = 60_000;

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
    headers: settings.headers.default({}),
    auth: settings.auth
      .optional()
      .meta({ description: 'Absent: BEARER with a secret, else NONE.' }),
    secret: settings.secret.optional(),
    connectTimeoutMs: settings.connectTimeoutMs.default(5_000),
    idleTimeoutMs: settings.idleTimeoutMs
      .optional()
      .meta({ description: `Absent: ${MCP_IDLE_TIMEOUT_MS}.` }),
    timeoutMs: settings.timeoutMs.optional(),
    callPriceUsd: settings.callPriceUsd.default('0'),
    toolPricesUsd: settings.toolPricesUsd.default({}),
    chargeFailures: settings.chargeFailures.default(false),
    tools: settings.tools.optional(),
    prompts: settings.prompts.optional(),
    resources: settings.resources.optional(),
    pinnedTools: settings.pinnedTools.default([]),
    region: settings.region.default(null),
    status: settings.status.default('ACTIVE'),
  })
  .superRefine((value, context) => {
    for (const [path, message] of [...targetIssues(value), ...timeoutIssues(value)]) {
      context.addIssue({ code: 'custom', path: [path], message });
    }
  })
  .meta({ id: 'McpServerCreate' });
export type McpServerCreate = z.output<typeof mcpServerCreate>;

interface Target {
  readonly transport: string;
  readonly url?: string | undefined;
  readonly command?: string | undefined;
}

/** Each transport has either an address or a command. */
function targetIssues(value: Target): Issue[] {
  const [wanted, other] =
    value.transport === 'STDIO' ? (['command', 'url'] as const) : (['url', 'command'] as const);
  const issues: Issue[] = [];
  if (value[wanted] === undefined) issues.push([wanted, `transport ${value.transport} needs one`]);
  if (value[other] !== undefined) issues.push([other, `transport ${value.transport} has none`]);
  return issues;
}

interface Timeouts {
  readonly idleTimeoutMs?: number | undefined;
  readonly timeoutMs?: number | undefined;
}

function timeoutIssues({ idleTimeoutMs, timeoutMs }: Timeouts): Issue[] {
  if (idleTimeoutMs === undefined || timeoutMs === undefined || idleTimeoutMs === timeoutMs)
    return [];
  return [['timeoutMs', 'is the former name of idleTimeoutMs; send one of them']];
}

export const mcpServerPatch = patchOf({
  ...settings,
  secret: settings.secret.nullable().meta({ description: 'Null: removes the secret.' }),
})
  .superRefine((value, context) => {
    for (const [path, message] of timeoutIssues(value)) {
      context.addIssue({ code: 'custom', path: [path], message });
    }
  })
  .meta({ id: 'McpServerPatch' });
export type McpServerPatch = z.output<typeof mcpServerPatch>;

const tag = 'MCP servers';
export const mcpServersPath = '/api/organisations/:organisationId/mcp-servers';
export const mcpServerPath = '/api/organisations/:organisationId/mcp-servers/:mcpServerId';

export const listMcpServers = endpoint({
  id: 'listMcpServers',
  tag,
  summary: 'MCP servers of the organisation',
  method: 'GET',
  path: mcpServersPath,
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
  path: mcpServersPath,
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
  path: mcpServerPath,
  access: 'mcp-servers.read',
  response: mcpServer,
  etag: true,
});

export const updateMcpServer = endpoint({
  id: 'updateMcpServer',
  tag,
  summary: 'Change an MCP server',
  method: 'PATCH',
  path: mcpServerPath,
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
  path: mcpServerPath,
  access: 'mcp-servers.write',
});
