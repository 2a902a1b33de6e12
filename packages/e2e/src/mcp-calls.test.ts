import { eventually, newTenant, sharedGateway, type SharedGateway, type Tenant } from '.';
import { act, callTool, connect, countsOf, ERAS, rpc } from './mcp/client';
import { registerServer, type RegisteredServer } from './mcp/server';

// Everything that a server and its client say to one another passes the gateway unchanged.

let gateway: SharedGateway;
let tenant: Tenant;
let server: RegisteredServer;
let key = '';

const SIMULATED = 'calls';

beforeAll(async () => {
  gateway = await sharedGateway();
  tenant = await newTenant(gateway);
  server = await registerServer(gateway, tenant, 'tools', { simulated: SIMULATED });
  ({ key } = await tenant.key({ mcpServerIds: [server.id] }));
});

const at = ({ path }: RegisteredServer = server): string => `${gateway.edgeUrl()}${path}`;

async function another(
  identifier: string,
  options: Parameters<typeof registerServer>[3],
): Promise<{ server: RegisteredServer; url: string; key: string; keyId: string }> {
  const made = await registerServer(gateway, tenant, identifier, options);
  const { id, key: own } = await tenant.key({ name: identifier, mcpServerIds: [made.id] });
  return { server: made, url: at(made), key: own, keyId: id };
}

describe.each(ERAS)('%s', (era, mode) => {
  test('progress comes before the result', async () => {
    const client = await connect(at(), key, mode);
    const steps: number[] = [];
    const result = await client.callTool(
      { name: 'sim_slow', arguments: { ms: 60, steps: 3 } },
      { onprogress: ({ progress }) => steps.push(progress) },
    );
    expect(steps).toEqual([1, 2, 3]);
    expect(result.content).toMatchObject([{ text: 'Took 60 ms.' }]);
    await client.close();
  });

  test('the server asks the client for input, a sample and its roots', async () => {
    const client = await connect(at(), key, mode);
    const tools =
      era === 'legacy' ? ['test_elicitation', 'test_sampling', 'sim_roots'] : ['sim_roots'];
    for (const name of tools) {
      const asked = { name, arguments: { message: 'Who?', prompt: 'Capital of France?' } };
      const result = await client.callTool(asked);
      expect(result.isError ?? false).toBe(false);
    }
    await client.close();
  });

  test('a call that the client gives up is cancelled at the server', async () => {
    const name = `cancel-${era}`;
    const own = await another(name, { simulated: name });
    const client = await connect(own.url, own.key, mode);
    const controller = new AbortController();
    const call = client.callTool(
      { name: 'sim_hold', arguments: {} },
      { signal: controller.signal, onprogress: () => controller.abort('enough') },
    );
    await expect(call).rejects.toThrow();
    await eventually('the tool is cancelled', async () => {
      const counts = await countsOf(gateway.simulatorUrl, name);
      return counts.some((one) => one.name === 'sim_hold' && one.cancelled === 1);
    });
    await client.close();
  });

  test('a result of 10 MB arrives whole', async () => {
    const client = await connect(at(), key, mode);
    const bytes = 10 * 1024 * 1024;
    const { content } = await client.callTool({ name: 'sim_bytes', arguments: { bytes } });
    const [part] = content as { text: string }[];
    expect(part?.text).toHaveLength(bytes);
    await client.close();
  });

  test('a list of three pages has only what the grant allows', async () => {
    const name = `paged-${era}`;
    const made = await registerServer(gateway, tenant, name, { simulated: 'sim-pages-3' });
    const { id, key: own } = await tenant.key({ name });
    const grants = [
      { mcpServerId: made.id, tools: { allowed: ['sim_*'], denied: ['sim_bytes', 'sim_f*'] } },
    ];
    const put = await gateway.rest.put(`${tenant.base}/apikeys/${id}/mcp-servers`, { grants });
    expect(put.status).toBe(200);
    const client = await connect(at(made), own, mode);
    const { tools } = await client.listTools();
    const names = tools.map((tool) => tool.name);
    expect(names.toSorted()).toEqual([
      'sim_changing',
      'sim_echo',
      'sim_hold',
      'sim_protocol_error',
      'sim_roots',
      'sim_slow',
    ]);
    await client.close();
    const refused = await callTool(at(made), own, 'sim_bytes', { bytes: 1 });
    expect(refused.status).toBe(403);
    expect(refused.message).toMatchObject({
      id: 1,
      error: { data: { code: 'mcp_access_denied', details: { tool: 'sim_bytes' } } },
    });
  });
});

test('a legacy session resumes a stream that broke, and gets the result', async () => {
  const own = await another('resumed', { simulated: 'resumed' });
  const client = await connect(own.url, own.key, 'legacy');
  const held = client.callTool({ name: 'sim_hold', arguments: { closeStream: true } });
  await eventually('the client resumes', async () => {
    const counts = await countsOf(gateway.simulatorUrl, 'resumed');
    return counts.some(({ method, received }) => method === 'GET' && received >= 2);
  });
  await act(gateway.simulatorUrl, 'release', 'resumed');
  expect((await held).content).toMatchObject([{ text: 'Released.' }]);
  await client.close();
});

test('a silent call is kept alive by comments', async () => {
  const own = await another('silent', { simulated: 'silent' });
  const controller = new AbortController();
  const response = await fetch(own.url, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${own.key}`,
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'sim_hold',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'sim_hold',
        arguments: {},
        _meta: {
          progressToken: 1,
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
    signal: controller.signal,
  });
  expect(response.headers.get('x-accel-buffering')).toBe('no');
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    if ((text.match(/^:/gm) ?? []).length >= 1) break;
  }
  expect(text).toContain('notifications/progress');
  controller.abort();
});

test('a stream ends when its key is revoked', async () => {
  const own = await another('revoked', { simulated: 'revoked' });
  let began = (): void => undefined;
  const running = new Promise<void>((resolve) => {
    began = resolve;
  });
  const client = await connect(own.url, own.key, { pin: '2026-07-28' });
  const call = client.callTool({ name: 'sim_hold', arguments: {} }, { onprogress: () => began() });
  const ended = call.then(
    () => 'result',
    (error: unknown) => JSON.stringify(error),
  );
  await running;
  const revoke = await gateway.rest.post(`${tenant.base}/apikeys/${own.keyId}/revoke`);
  expect(revoke.status).toBeLessThan(300);
  expect(await ended).toContain('invalid_api_key');
  await client.close();
});

test('headers that differ from the body are refused, and encoded names are understood', async () => {
  const before = await countsOf(gateway.simulatorUrl, SIMULATED);
  const mismatch = await callTool(
    at(),
    key,
    'sim_echo',
    {},
    { headers: { 'mcp-name': 'sim_fail' } },
  );
  expect(mismatch.status).toBe(400);
  expect(mismatch.message?.error?.code).toBe(-32_020);
  const method = await callTool(at(), key, 'sim_echo', {}, { headers: { 'mcp-method': 'ping' } });
  expect(method.status).toBe(400);
  expect(await countsOf(gateway.simulatorUrl, SIMULATED)).toEqual(before);
  const encoded = `=?base64?${Buffer.from('sim_echo').toString('base64')}?=`;
  const good = await callTool(
    at(),
    key,
    'sim_echo',
    { a: 1 },
    { headers: { 'mcp-name': encoded } },
  );
  expect(good.status).toBe(200);
});

test('no grant and no such server look the same', async () => {
  const { key: bare } = await tenant.key({ name: 'bare' });
  const refusals = [];
  for (const path of [server.path, '/v1/mcp/unknown']) {
    const { message, status } = await callTool(`${gateway.edgeUrl()}${path}`, bare, 'sim_echo');
    const { message: text, data, code } = message?.error ?? { message: '', code: 0, data: {} };
    refusals.push({ status, text, code, why: data?.['code'] });
  }
  expect(refusals[0]).toEqual(refusals[1]);
  expect(refusals[0]).toMatchObject({ status: 403, why: 'mcp_access_denied' });
});

test('a wrong or missing key is 401 with WWW-Authenticate', async () => {
  for (const wrong of [undefined, 'tg_wrong']) {
    const answer = await rpc(at(), wrong, 'tools/list');
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect(answer.message?.error?.data).toMatchObject({
      code: wrong === undefined ? 'missing_api_key' : 'invalid_api_key',
    });
  }
});

test('a foreign origin is refused before the key is read', async () => {
  const headers = { origin: 'https://evil.example' };
  expect((await rpc(at(), undefined, 'tools/list', {}, { headers })).status).toBe(403);
  expect((await rpc(at(), key, 'tools/list', {}, { headers })).status).toBe(403);
});

test('redirects are not followed, and the caller’s credentials never go up', async () => {
  for (const fault of ['redirect', 'redirect-away']) {
    const own = await another(fault, { simulated: `sim-${fault}` });
    const answer = await callTool(own.url, own.key, 'sim_echo');
    expect(answer.status).toBe(502);
  }
  const own = await another('bearer', {
    simulated: 'sim-bearer-upstreamtoken',
    auth: { type: 'BEARER' },
    secret: 'upstreamtoken',
  });
  const answer = await callTool(
    own.url,
    own.key,
    'sim_echo',
    {},
    {
      headers: { cookie: 'a=b', 'x-api-key': own.key },
    },
  );
  expect(answer.status).toBe(200);
  const received = await fetch(
    `${gateway.simulatorUrl}/_sim/mcp/requests?server=sim-bearer-upstreamtoken`,
  );
  const text = await received.text();
  expect(text).toContain('Bearer upstreamtoken');
  expect(text).not.toContain(own.key);
  expect(text).not.toContain('a=b');
  const wrong = await another('wrong-bearer', { simulated: 'sim-bearer-upstreamtoken' });
  const refused = await callTool(wrong.url, wrong.key, 'sim_echo');
  expect(refused.status).toBe(502);
  expect(refused.message?.error?.data).toMatchObject({ code: 'provider_auth_failed' });
  expect(refused.headers.get('www-authenticate')).toBeNull();
});

test('a pinned tool whose definition changed is not called', async () => {
  const own = await another('pinned', { simulated: 'pinned' });
  const tested = await gateway.rest.post(`${tenant.base}/mcp-servers/${own.server.id}/test`);
  expect(tested.status).toBe(200);
  const { tools } = tested.data as { tools: { name: string; sha256: string }[] };
  const pinned = tools.filter(({ name }) => name === 'sim_changing');
  expect(pinned).toHaveLength(1);
  const patched = await gateway.rest.patch(`${tenant.base}/mcp-servers/${own.server.id}`, {
    pinnedTools: pinned.map(({ name, sha256 }) => ({ name, sha256 })),
  });
  expect(patched.status).toBe(200);
  const call = () => callTool(own.url, own.key, 'sim_changing');
  await eventually('the pin is known', async () => (await call()).status === 200);
  await act(gateway.simulatorUrl, 'change', 'pinned');
  // What the gateway has seen in a list counts at once.
  await rpc(own.url, own.key, 'tools/list');
  const refused = await call();
  expect(refused.status).toBe(403);
  expect(refused.message?.error?.data).toMatchObject({ code: 'mcp_tool_changed' });
  expect((await callTool(own.url, own.key, 'sim_echo')).status).toBe(200);
});
