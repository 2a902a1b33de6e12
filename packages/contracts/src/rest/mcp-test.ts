import { z } from 'zod';

import { endpoint } from './endpoint';
import { mcpServerPath } from './mcp-servers';

/** The connection test of an MCP server: the gateway connects to it and lists its tools. */

/**
 * LEGACY: revisions up to 2025-11-25, which begin with `initialize`. MODERN: 2026-07-28, without
 * sessions.
 */
export const MCP_ERAS = ['LEGACY', 'MODERN'] as const;
export type McpEra = (typeof MCP_ERAS)[number];

/** NONE: the tool is not pinned. CHANGED: its definition is another than the pinned one. */
export const MCP_PIN_STATES = ['NONE', 'MATCH', 'CHANGED'] as const;
export type McpPinState = (typeof MCP_PIN_STATES)[number];

/** Where a test failed. */
export const MCP_TEST_STAGES = ['RUNNER', 'AUTH', 'CONNECT', 'INITIALIZE', 'LIST_TOOLS'] as const;
export type McpTestStage = (typeof MCP_TEST_STAGES)[number];

export const mcpTestedTool = z
  .object({
    name: z.string(),
    title: z.string().nullable(),
    description: z.string().nullable(),
    inputSchema: z.record(z.string(), z.unknown()).meta({ description: 'A JSON Schema.' }),
    sha256: z.string().meta({ description: 'Of the definition, for pinnedTools.' }),
    pin: z.enum(MCP_PIN_STATES),
  })
  .meta({ id: 'McpTestedTool' });
export type McpTestedTool = z.output<typeof mcpTestedTool>;

export const mcpServerTest = z
  .object({
    ok: z.boolean(),
    era: z.enum(MCP_ERAS).nullable().meta({ description: 'Null: not found out.' }),
    protocolVersion: z.string().nullable(),
    serverInfo: z
      .object({ name: z.string(), title: z.string().nullable(), version: z.string() })
      .nullable(),
    latencyMs: z.int(),
    tools: z.array(mcpTestedTool),
    truncated: z.boolean().meta({ description: 'The server has more tools than the test reads.' }),
    missingPins: z
      .array(z.string())
      .meta({ description: 'Pinned tools that the server does not list.' }),
    error: z
      .object({ stage: z.enum(MCP_TEST_STAGES), message: z.string() })
      .nullable()
      .meta({ description: 'Null: the test succeeded.' }),
  })
  .meta({ id: 'McpServerTest' });
export type McpServerTest = z.output<typeof mcpServerTest>;

export const testMcpServer = endpoint({
  id: 'testMcpServer',
  tag: 'MCP servers',
  summary: 'Test an MCP server by connecting to it and listing its tools; changes nothing',
  method: 'POST',
  path: `${mcpServerPath}/test`,
  access: 'mcp-servers.write',
  response: mcpServerTest,
});
