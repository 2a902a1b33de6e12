import { newTenant, startGateway, type Gateway, type Tenant } from '.';
import { rpc } from './mcp/client';
import { installPython, OFFICIAL_CLIENTS } from './mcp/clients';
import { startFrontDoor, type FrontDoor } from './mcp/front-door';
import { registerServer } from './mcp/server';
import { hasPython } from './python-matrix/test-support/venv';

// Sessions have no store: any edge serves them, also after another was killed.

/** Installing the Python client takes a while the first time. */
const START_TIMEOUT_MS = 400_000;

let gateway: Gateway;
let tenant: Tenant;
let door: FrontDoor;
let key = '';
let path = '';
let stop: () => Promise<void> = async () => undefined;

beforeAll(async () => {
  if (hasPython()) await installPython();
  gateway = await startGateway({ edges: 2 });
  stop = gateway.stop;
  tenant = await newTenant(gateway);
  const server = await registerServer(gateway, tenant, 'tools', { simulated: 'sessions' });
  ({ key } = await tenant.key({ mcpServerIds: [server.id] }));
  ({ path } = server);
  door = await startFrontDoor({ edges: [gateway.edgeUrl(0), gateway.edgeUrl(1)] });
}, START_TIMEOUT_MS);
afterAll(async () => {
  await door?.stop();
  await stop();
});

describe.each(OFFICIAL_CLIENTS)('$name', ({ connect, name }) => {
  const withPython = hasPython() || !name.startsWith('Python');

  (withPython ? test : test.skip)('does not notice which edge serves it', async () => {
    const client = await connect(`${door.url}${path}`, key);
    for (let n = 0; n < 6; n += 1) expect(await client.echo(n)).toBe(JSON.stringify({ n }));
    await client.close();
  });

  (withPython ? test : test.skip)('keeps its session when an edge is killed', async () => {
    const client = await connect(`${door.url}${path}`, key);
    expect(await client.echo(0)).toBe('{"n":0}');
    const [edge] = gateway.edges;
    if (edge === undefined) throw new Error('there is no edge');
    edge.process().signal('SIGKILL');
    await edge.process().ended;
    for (let n = 1; n < 5; n += 1) expect(await client.echo(n)).toBe(JSON.stringify({ n }));
    await client.close();
    await edge.restart();
  });
});

test('a session id is of one key and one server, and cannot be made up', async () => {
  const url = `${gateway.edgeUrl()}${path}`;
  const initialize = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'e2e', version: '1' },
  };
  const begun = await rpc(url, key, 'initialize', initialize, { legacy: true });
  expect(begun.status).toBe(200);
  const session = begun.headers.get('mcp-session-id') ?? '';
  expect(session.length).toBeGreaterThan(0);
  expect(session.length).toBeLessThanOrEqual(400);
  const server = await registerServer(gateway, tenant, 'other', { simulated: 'other' });
  const other = await tenant.key({
    name: 'other',
    mcpServerIds: [server.id, await idOf('tools')],
  });
  const list = (at: string, who: string, id: string) =>
    rpc(at, who, 'tools/list', {}, { legacy: true, headers: { 'mcp-session-id': id } });
  expect((await list(url, key, session)).status).toBe(200);
  const tampered = `${session.slice(0, -1)}${session.endsWith('A') ? 'B' : 'A'}`;
  for (const [at, who, id] of [
    [url, other.key, session],
    [`${gateway.edgeUrl()}${server.path}`, other.key, session],
    [url, key, tampered],
    [url, key, 'made-up'],
  ] as const) {
    expect((await list(at, who, id)).status).toBe(404);
  }
});

async function idOf(identifier: string): Promise<string> {
  const { data } = await gateway.rest.get(`${tenant.base}/mcp-servers?search=${identifier}`);
  const [found] = (data as { data: { id: string }[] }).data;
  if (found === undefined) throw new Error(`there is no server ${identifier}`);
  return found.id;
}
