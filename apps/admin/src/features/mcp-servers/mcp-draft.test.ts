import { rest } from '@tollgate/contracts';

import { mcpBodyOf, mcpDraftOf, mcpPatchOf, NEW_SERVER, type AuthDraft } from './mcp-draft';
import { mcpServerOf } from './test-support/mcp-server';

const typed = {
  ...NEW_SERVER,
  name: 'Search',
  identifier: 'search',
  url: 'https://mcp.example.com/mcp',
  command: 'search',
};
const auth = (type: rest.McpAuthType): AuthDraft => ({
  ...NEW_SERVER.auth,
  type,
  header: 'X-Key',
  tokenUrl: 'https://id.example.com/token',
  clientId: 'gateway',
});

test('only what the transport has is sent', () => {
  const web = mcpBodyOf(typed);
  expect(web).not.toHaveProperty('command');
  expect(rest.mcpServerCreate.safeParse(web).success).toBe(true);
  const stdio = mcpBodyOf({ ...typed, transport: 'STDIO', secret: 'of-the-command' });
  expect(stdio).toMatchObject({ command: 'search', secret: 'of-the-command' });
  for (const name of ['url', 'auth', 'headers']) expect(stdio).not.toHaveProperty(name);
  expect(rest.mcpServerCreate.safeParse(stdio).success).toBe(true);
});

test.each([
  ['NONE', { type: 'NONE' }],
  ['BEARER', { type: 'BEARER' }],
  ['HEADER', { type: 'HEADER', header: 'X-Key', template: '{{secret}}' }],
  [
    'OAUTH_CLIENT_CREDENTIALS',
    {
      type: 'OAUTH_CLIENT_CREDENTIALS',
      tokenUrl: 'https://id.example.com/token',
      clientId: 'gateway',
      scope: null,
      resource: null,
    },
  ],
] as const)('authentication %s sends its own fields', (type, expected) => {
  const body = mcpBodyOf({ ...typed, auth: auth(type), secret: 'secret' });
  expect(body).toMatchObject({ auth: expected });
  expect('secret' in body).toBe(type !== 'NONE');
  expect(rest.mcpServerCreate.safeParse(body).success).toBe(true);
});

test('a secret is kept, replaced or removed', () => {
  const bearer = { ...typed, auth: auth('BEARER') };
  const [had, hadNone] = [mcpServerOf({ secretPreview: 'cret' }), mcpServerOf()];
  expect(mcpPatchOf(bearer, had)).not.toHaveProperty('secret');
  expect(mcpPatchOf({ ...bearer, secret: 'new' }, had)).toMatchObject({ secret: 'new' });
  expect(mcpPatchOf({ ...bearer, auth: auth('NONE') }, had)).toMatchObject({ secret: null });
  expect(mcpPatchOf({ ...bearer, auth: auth('NONE') }, hadNone)).not.toHaveProperty('secret');
  const stdio = { ...typed, transport: 'STDIO' as const, noSecret: true };
  expect(mcpPatchOf(stdio, had)).toMatchObject({ secret: null });
});

test('a command that stays is not sent, because few may set one', () => {
  const server = mcpServerOf({ transport: 'STDIO', url: null, command: 'search' });
  const draft = mcpDraftOf(server);
  expect(mcpPatchOf(draft, server)).not.toHaveProperty('command');
  expect(mcpPatchOf({ ...draft, command: 'tickets' }, server)).toMatchObject({
    command: 'tickets',
  });
});

test('each tool has one price', () => {
  const row = (tool: string, usd: string) => ({ tool, usd });
  const toolPrices = [row(' search ', '0.01'), row('', ' '), row('read', '1')];
  expect(mcpBodyOf({ ...typed, toolPrices }).toolPricesUsd).toEqual({ search: '0.01', read: '1' });
  const twice = [...toolPrices, row('search', '2')];
  expect(() => mcpBodyOf({ ...typed, toolPrices: twice })).toThrow('search has two prices.');
});

test.each([
  mcpServerOf({
    auth: { type: 'HEADER', header: 'X-Key', template: 'Key {{secret}}' },
    toolPricesUsd: { search: '0.5' },
    headers: { 'x-team': 'a' },
    secretPreview: 'cret',
  }),
  mcpServerOf({ transport: 'STDIO', url: null, command: 'tickets', auth: { type: 'NONE' } }),
  mcpServerOf({
    transport: 'SSE',
    auth: {
      type: 'OAUTH_CLIENT_CREDENTIALS',
      tokenUrl: 'https://id.example.com/token',
      clientId: 'gateway',
      scope: 'tools',
      resource: null,
    },
  }),
])('saving a form that nobody changed changes nothing: $transport', (server) => {
  const body = mcpPatchOf(mcpDraftOf(server), server);
  expect(rest.mcpServerPatch.safeParse(body).success).toBe(true);
  expect(server).toMatchObject(body);
});
