import type { rest } from '@tollgate/contracts';

/** A server as the catalog answers it. */
export function mcpServerOf(part: Partial<rest.McpServer> = {}): rest.McpServer {
  return {
    id: '01a200b7-30ab-7031-b144-0a2f9f4d5a00',
    organisationId: '01a200b7-30ab-7031-b144-0a2f9f4d5a01',
    identifier: 'search',
    name: 'Search',
    transport: 'STREAMABLE_HTTP',
    url: 'https://mcp.example.com/mcp',
    command: null,
    headers: {},
    auth: { type: 'BEARER' },
    secretPreview: null,
    connectTimeoutMs: 5_000,
    idleTimeoutMs: 60_000,
    timeoutMs: 60_000,
    callPriceUsd: '0',
    toolPricesUsd: {},
    chargeFailures: false,
    tools: { allowed: ['*'], denied: [] },
    prompts: { allowed: ['*'], denied: [] },
    resources: { allowed: ['*'], denied: [] },
    pinnedTools: [],
    region: null,
    connectionVersion: 1,
    status: 'ACTIVE',
    statusNote: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    ...part,
  };
}
