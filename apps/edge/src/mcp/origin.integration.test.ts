import { CALL, startMcpHarness, type McpHarness } from './test-support/mcp-harness';

const ALLOWED = 'https://app.example';

let edge: McpHarness;

beforeAll(async () => {
  edge = await startMcpHarness({ EDGE_CORS_ORIGINS: [ALLOWED] });
});
afterAll(() => edge.stop());

test('a page of an allowed origin may call, and read the session id', async () => {
  const response = await edge.rpc(CALL, { origin: ALLOWED });
  expect(response.status).toBe(200);
  expect(response.headers.get('access-control-allow-origin')).toBe(ALLOWED);
  expect(response.headers.get('access-control-expose-headers')).toContain('mcp-session-id');
});

test('its browser may ask first', async () => {
  const response = await edge.bare('OPTIONS', {
    origin: ALLOWED,
    'access-control-request-headers': 'mcp-protocol-version',
  });
  expect(response.status).toBe(204);
  expect(response.headers.get('access-control-allow-headers')).toBe('mcp-protocol-version');
});

test.each(['http://localhost:6274', 'http://127.0.0.1', 'http://[::1]:3000'])(
  'a page of the machine itself, %s, may call a gateway on it',
  async (origin) => {
    expect((await edge.rpc(CALL, { origin })).status).toBe(200);
  },
);

test.each([
  'https://evil.example',
  'null',
  'http://app.example',
  'http://localhost.evil.example',
  'http://evil.example:127',
])('a page of %s may not, whatever its key', async (origin) => {
  const calls = edge.upstream.received.length;
  expect((await edge.rpc(CALL, { origin })).status).toBe(403);
  expect((await edge.bare('GET', { origin })).status).toBe(403);
  expect((await edge.bare('OPTIONS', { origin })).status).toBe(403);
  expect(edge.upstream.received).toHaveLength(calls);
});
