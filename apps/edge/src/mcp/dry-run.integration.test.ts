import { CALL, rpcErrorOf, startMcpHarness, type McpHarness } from './test-support/mcp-harness';

let edge: McpHarness;

beforeAll(async () => {
  edge = await startMcpHarness();
});
afterAll(() => edge.stop());
beforeEach(() => edge.reset());

const DRY = { 'x-tollgate-dry-run': 'true' };

test('a call of a tool says what would be decided, and the server is not asked', async () => {
  const response = await edge.rpc(CALL, DRY);
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ object: 'tollgate.dry_run', decision: 'allow' });
  expect(edge.policy.dryRuns).toMatchObject([
    { operation: 'mcp_call', mcp: { server: 'files', method: 'tools/call', name: 'sum' } },
  ]);
  expect(edge.upstream.received).toHaveLength(0);
  expect(edge.policy.authorized).toHaveLength(0);
  expect(edge.policy.settled).toHaveLength(0);
});

test('a refusal is the answer, and a key that is not valid is an error', async () => {
  edge.policy.decide = () => ({ denial: { code: 'quota_exceeded', message: 'too many' } });
  expect(await (await edge.rpc(CALL, DRY)).json()).toMatchObject({
    decision: 'deny',
    error: { code: 'quota_exceeded', status: 429 },
  });
  edge.policy.decide = () => ({ denial: { code: 'invalid_api_key' } });
  const refused = await edge.rpc(CALL, DRY);
  expect(refused.status).toBe(401);
  expect((await rpcErrorOf(refused)).error.data.code).toBe('invalid_api_key');
  expect(edge.policy.refused).toHaveLength(0);
});

test('what is no request cannot be tried', async () => {
  const notification = { method: 'notifications/initialized' };
  for (const response of [
    await edge.rpc(notification, DRY),
    await edge.bare('GET', DRY),
    await edge.rpc(CALL, { 'x-tollgate-dry-run': 'maybe' }),
  ]) {
    expect(response.status).toBe(400);
    expect((await rpcErrorOf(response)).error.data.param).toBe('x-tollgate-dry-run');
  }
  expect(edge.policy.dryRuns).toHaveLength(0);
});
