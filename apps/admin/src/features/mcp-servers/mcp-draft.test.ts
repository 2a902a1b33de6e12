import { rest } from '@tollgate/contracts';

import { mcpBodyOf, mcpDraftOf, mcpPatchOf, NEW_SERVER } from './mcp-draft';

const typed = {
  ...NEW_SERVER,
  name: 'Search',
  identifier: 'search',
  url: 'https://mcp.example.com/mcp',
  command: 'npx',
  args: '--yes\n\nserver',
};

test('only what the transport has is sent', () => {
  const web = mcpBodyOf(typed);
  expect(web).not.toHaveProperty('command');
  expect(rest.mcpServerCreate.safeParse(web).success).toBe(true);
  const stdio = mcpBodyOf({ ...typed, transport: 'STDIO' });
  expect(stdio).toMatchObject({ command: 'npx', args: ['--yes', 'server'] });
  expect(stdio).not.toHaveProperty('url');
  expect(rest.mcpServerCreate.safeParse(stdio).success).toBe(true);
});

test('a secret is kept, replaced or taken away', () => {
  expect(mcpPatchOf(typed)).not.toHaveProperty('secret');
  expect(mcpPatchOf({ ...typed, secret: 'new' })).toMatchObject({ secret: 'new' });
  expect(mcpPatchOf({ ...typed, secret: 'new', noSecret: true })).toMatchObject({ secret: null });
});

test('a change changes nothing by itself', () => {
  const server: rest.McpServer = {
    id: '01a200b7-30ab-7031-b144-0a2f9f4d5a00',
    organisationId: '01a200b7-30ab-7031-b144-0a2f9f4d5a01',
    identifier: 'search',
    name: 'Search',
    transport: 'SSE',
    url: 'https://mcp.example.com/sse',
    command: null,
    args: [],
    headers: { 'x-team': 'a' },
    secretPreview: 'cret',
    timeoutMs: 500,
    status: 'DISABLED',
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
  };
  const body = mcpPatchOf(mcpDraftOf(server));
  expect(rest.mcpServerPatch.safeParse(body).success).toBe(true);
  expect(server).toMatchObject(body);
});
