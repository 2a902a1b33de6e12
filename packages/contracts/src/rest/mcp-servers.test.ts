import * as rest from '.';

const server = { identifier: 'search', name: 'Search', url: 'https://tools.example/mcp' };
const pathsOf = (schema: { safeParse: typeof rest.mcpServerCreate.safeParse }, value: unknown) =>
  schema.safeParse(value).error?.issues.map(({ path }) => path.join('.')) ?? [];
const created = (changes: object) => pathsOf(rest.mcpServerCreate, { ...server, ...changes });

const HEADER = { type: 'HEADER', header: 'x-api-key' };
const OAUTH = {
  type: 'OAUTH_CLIENT_CREDENTIALS',
  tokenUrl: 'https://id.example/token',
  clientId: 'tollgate',
};
const DIGEST = 'a'.repeat(64);

it.each([
  {},
  { auth: { type: 'BEARER' } },
  { auth: HEADER },
  { auth: { ...HEADER, header: 'Authorization', template: 'Basic {{secret}}' } },
  { auth: OAUTH },
  { auth: { ...OAUTH, scope: 'tools.read tools.call', resource: 'https://tools.example/mcp' } },
  { callPriceUsd: '0.002', toolPricesUsd: { search: '0.01' } },
  { tools: { allowed: ['search', 'read_*'], denied: ['read_secret*'] } },
  { resources: { denied: ['file:///etc/*'] } },
  { pinnedTools: [{ name: 'search', sha256: DIGEST }] },
  { timeoutMs: 5000 },
  { url: undefined, transport: 'STDIO', command: 'files' },
])('a server is registered with %j', (changes) => {
  expect(created(changes)).toEqual([]);
});

it.each([
  [{ auth: { type: 'BASIC' } }, 'auth.type'],
  [{ auth: { ...HEADER, header: 'Mcp-Session-Id' } }, 'auth.header'],
  [{ auth: { ...HEADER, header: 'host' } }, 'auth.header'],
  [{ auth: { ...HEADER, header: 'Connection' } }, 'auth.header'],
  [{ auth: { ...HEADER, header: 'content-length' } }, 'auth.header'],
  [{ auth: { ...HEADER, header: 'x y' } }, 'auth.header'],
  [{ auth: { ...HEADER, template: 'Basic' } }, 'auth.template'],
  [{ auth: { ...HEADER, template: '{{secret}}{{secret}}' } }, 'auth.template'],
  [{ auth: { ...HEADER, template: 'a\r\nb: {{secret}}' } }, 'auth.template'],
  [{ auth: { ...OAUTH, tokenUrl: 'file:///etc/passwd' } }, 'auth.tokenUrl'],
  [{ auth: { ...OAUTH, scope: 'two  spaces' } }, 'auth.scope'],
  [{ auth: { ...OAUTH, resource: 'https://tools.example/#part' } }, 'auth.resource'],
  [{ headers: { 'mcp-name': 'x' } }, 'headers'],
  [{ callPriceUsd: '1e3' }, 'callPriceUsd'],
  [{ toolPricesUsd: { search: '-1' } }, 'toolPricesUsd.search'],
  [
    { toolPricesUsd: Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`t${n}`, '1'])) },
    'toolPricesUsd',
  ],
  [{ tools: { allowed: ['a*b'] } }, 'tools.allowed.0'],
  [{ tools: { allowed: ['a', 'a'] } }, 'tools.allowed'],
  [
    {
      resources: { denied: Array.from({ length: 9 }, (_, n) => `file:///${n}${'x'.repeat(990)}`) },
    },
    'resources',
  ],
  [{ prompts: { denied: [''] } }, 'prompts.denied.0'],
  [{ pinnedTools: [{ name: 'search', sha256: DIGEST.toUpperCase() }] }, 'pinnedTools.0.sha256'],
  [{ pinnedTools: ['a', 'b'].map((of) => ({ name: 's', sha256: of.repeat(64) })) }, 'pinnedTools'],
  [{ timeoutMs: 5000, idleTimeoutMs: 6000 }, 'timeoutMs'],
  [{ transport: 'STDIO', url: undefined, command: 'npx -y server' }, 'command'],
  [{ transport: 'STDIO', url: undefined, command: '/bin/sh' }, 'command'],
  [{ transport: 'STDIO', url: undefined, command: 'files', args: [] }, ''],
])('what does not fit is named: %j', (changes, path) => {
  expect(created(changes)).toEqual([path]);
});

it('grants come as servers or with their rules, never as both', () => {
  const id = '0190a000-0000-7000-8000-000000000001';
  const put = (value: unknown) =>
    rest.mcpGrantsPut.safeParse(value).error?.issues.map(({ path }) => path.join('.')) ?? [];
  const grant = { mcpServerId: id, tools: { allowed: ['read_*'] } };
  expect(put({ mcpServerIds: [id] })).toEqual([]);
  expect(put({ grants: [grant] })).toEqual([]);
  expect(put({})).toEqual(['grants']);
  expect(put({ mcpServerIds: [], grants: [] })).toEqual(['mcpServerIds']);
  expect(put({ grants: [grant, grant] })).toEqual(['grants']);
  const key = { name: 'k', type: 'ORGANISATION' };
  const both = { mcpServerIds: [id], mcpGrants: [grant] };
  expect(rest.apiKeyCreate.safeParse({ ...key, ...both }).success).toBe(false);
  expect(rest.apiKeyPatch.safeParse(both).success).toBe(false);
  expect(rest.apiKeyPatch.safeParse({ mcpGrants: [grant] }).success).toBe(true);
});
