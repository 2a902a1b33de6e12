import { newTenant, sharedGateway, type SharedGateway, type Tenant } from '.';
import { connect, countsOf, ERAS, rpc, startedCalls } from './mcp/client';
import { registerServer, type RegisteredServer } from './mcp/server';

// What rules forbid stays forbidden in every way in which a server may read a message.

let gateway: SharedGateway;
let tenant: Tenant;

beforeAll(async () => {
  gateway = await sharedGateway();
  tenant = await newTenant(gateway);
});

const DENIED = 'test://watched-resource';
const RULES = {
  tools: { allowed: ['sim_echo'], denied: [] },
  prompts: { allowed: ['test_simple_*'], denied: [] },
  resources: { allowed: ['*'], denied: [DENIED, 'test://template/secret/*'] },
};

async function restricted(identifier: string, simulated: string) {
  const server: RegisteredServer = await registerServer(gateway, tenant, identifier, { simulated });
  const { id, key } = await tenant.key({ name: identifier });
  const grants = [{ mcpServerId: server.id, ...RULES }];
  const put = await gateway.rest.put(`${tenant.base}/apikeys/${id}/mcp-servers`, { grants });
  expect(put.status).toBe(200);
  return { key, url: `${gateway.edgeUrl()}${server.path}` };
}

test.each(ERAS)('%s: no spelling of a URI reaches a denied resource', async (era, mode) => {
  const { key, url } = await restricted(`spelled-${era}`, `spelled-${era}`);
  const client = await connect(url, key, mode);
  const open = await client.readResource({ uri: 'test://template/open/data' });
  expect(JSON.stringify(open)).toContain('Data for ID: open');
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri)).not.toContain(DENIED);
  for (const uri of [
    DENIED,
    'TEST://watched-resource',
    'test://watched-\tresource',
    ' test://watched-resource',
    'test://template/open/../secret/data',
    'test://template/open/%2e%2e/secret/data',
    'test://template/%73ecret/data',
  ]) {
    await expect(client.readResource({ uri })).rejects.toThrow(/mcp_access_denied|may not use/);
  }
  await client.close();
  const read = (await countsOf(gateway.simulatorUrl, `spelled-${era}`)).filter(
    ({ method }) => method === 'resources/read',
  );
  expect(read.map(({ name }) => name)).toEqual(['test://template/open/data']);
});

test.each([true, false])(
  'a call without an id does not run at a server that would run it, legacy: %s',
  async (legacy) => {
    const server = `sim-loose+json.${legacy ? 'old' : 'new'}`;
    const { key, url } = await restricted(`loose-${String(legacy)}`, server);
    const params = { name: 'sim_fail', arguments: {} };
    const answer = await rpc(url, key, 'tools/call', params, { legacy, id: null });
    expect(answer.status).toBe(400);
    expect(answer.message?.error?.data).toMatchObject({ code: 'invalid_request', param: 'id' });
    expect(await startedCalls(gateway.simulatorUrl, server)).toBe(0);
  },
);

test('a completion cannot refer to a second prompt', async () => {
  const { key, url } = await restricted('second', 'sim-loose+json.second');
  const argument = { name: 'arg1', value: 'pa' };
  const ref = { type: 'ref/prompt', name: 'test_simple_prompt' };
  const denied = { type: 'ref/prompt', name: 'test_prompt_with_arguments' };
  const complete = (params: object) =>
    rpc(url, key, 'completion/complete', { ...params, argument });
  expect((await complete({ ref })).status).toBe(200);
  for (const [params, param] of [
    [{ ref, Ref: denied }, 'params.Ref'],
    [{ ref: { ...ref, Name: denied.name } }, 'params.ref.Name'],
  ] as const) {
    const answer = await complete(params);
    expect(answer.status).toBe(400);
    expect(answer.message?.error?.data).toMatchObject({ code: 'invalid_request', param });
  }
  const counts = await countsOf(gateway.simulatorUrl, 'sim-loose+json.second');
  expect(counts.map(({ method, received }) => [method, received])).toEqual([
    ['completion/complete', 1],
  ]);
});
