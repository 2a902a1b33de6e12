import { CALL, rpcErrorOf, startMcpHarness, type McpHarness } from './test-support/mcp-harness';

// Policy decides by the region of a server that it knows; only the newest connection is kept.

let edge: McpHarness;

beforeAll(async () => {
  edge = await startMcpHarness();
});
afterAll(() => edge.stop());
beforeEach(() => edge.reset());

test('a call is recorded with the region of the server', async () => {
  edge.serve({ region: 'eu' }, { region: 'eu' });
  expect((await edge.rpc(CALL)).status).toBe(200);
  expect((await edge.settled()).regions).toBe('eu');
});

test('a server that has moved since policy decided gets nothing', async () => {
  edge.serve({ region: 'us' }, { region: 'eu' });
  const response = await edge.rpc(CALL);
  expect(response.status).toBe(503);
  expect(await rpcErrorOf(response)).toMatchObject({
    error: { data: { code: 'dependency_unavailable' } },
  });
  expect(edge.upstream.received).toEqual([]);
});
