import { request } from 'node:http';

import { startSimulator, type Simulator } from '../simulator';
import { act, callsOf, connect, httpTransport, requestsOf, until } from './test-support/client';
import { CALL, post } from './test-support/raw';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.stop());

const urlOf = (server: string): string => `${simulator.url}/mcp/${server}`;
const LEGACY = {
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
  'mcp-protocol-version': '2025-11-25',
};
const HELLO = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'c', version: '1' },
};
const LIST = { method: 'tools/list', params: {} };

test('without directives a call is answered', async () => {
  const response = await post(urlOf('plain'));
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ id: 1, result: { content: [{ text: '{}' }] } });
});

test('a status comes with an error and Retry-After, for calls only when asked', async () => {
  const server = urlOf('sim-status-429+retry-after-7+calls');
  const refused = await post(server);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '7']);
  expect(await refused.json()).toMatchObject({ jsonrpc: '2.0', error: { code: -32_000 } });
  expect((await post(server, LIST)).status).toBe(200);
});

test('the first calls fail, the next is answered', async () => {
  const statuses = [];
  for (let call = 0; call < 3; call += 1)
    statuses.push((await post(urlOf('sim-fail-first-2'))).status);
  expect(statuses).toEqual([503, 503, 200]);
});

test('a connection ends before the headers, or after some of the body', async () => {
  await expect(post(urlOf('sim-reset'))).rejects.toThrow();
  const cut = await post(urlOf('sim-cut-at-20'));
  expect(cut.status).toBe(200);
  await expect(cut.text()).rejects.toThrow();
  expect(await (await post(urlOf('sim-garbage'))).text()).toContain('no MCP');
});

test.each(['sim-timeout', 'sim-stall-at-20'])(
  '%s: silence until the client leaves',
  async (name) => {
    const leaving = new AbortController();
    const answer = post(urlOf(name), CALL, {}, { signal: leaving.signal });
    const text = name === 'sim-timeout' ? answer : answer.then((response) => response.text());
    await until('the request', async () => (await requestsOf(simulator.url, name))[0]);
    leaving.abort();
    await expect(text).rejects.toThrow();
  },
);

test('redirects lead to a server that counts, or to the metadata of a cloud', async () => {
  const redirected = await post(urlOf('sim-redirect'), CALL, {}, { redirect: 'manual' });
  expect([redirected.status, redirected.headers.get('location')]).toEqual([307, '/mcp/redirected']);
  expect((await post(urlOf('sim-redirect'))).status).toBe(200);
  expect(await callsOf(simulator.url, 'redirected')).toMatchObject([{ received: 1 }]);
  const away = await post(urlOf('sim-redirect-away'), CALL, {}, { redirect: 'manual' });
  expect(away.headers.get('location')).toMatch(/^http:\/\/169\.254\.169\.254\//);
});

test('a server with a token answers 401 to everybody else', async () => {
  const server = urlOf('sim-bearer-s3cret');
  const refused = await post(server);
  expect(refused.status).toBe(401);
  expect(refused.headers.get('www-authenticate')).toContain('resource_metadata=');
  expect((await post(server, CALL, { authorization: 'Bearer s3cret' })).status).toBe(200);
});

test('a loose server runs a call without an id, and takes names in any case', async () => {
  const params = { name: 'sim_echo', Name: 'sim_fail', arguments: {} };
  const body = JSON.stringify({ jsonrpc: '2.0', method: 'tools/call', params });
  const init = { headers: LEGACY, method: 'POST', body };
  const initialize = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: HELLO });
  for (const [name, started] of [
    ['sim-loose', [['sim_fail', 1]]],
    ['strict', []],
  ] as const) {
    const begun = await fetch(urlOf(name), { ...init, body: initialize });
    const session = begun.headers.get('mcp-session-id') ?? '';
    const answer = await fetch(urlOf(name), {
      ...init,
      headers: { ...LEGACY, 'mcp-session-id': session },
    });
    expect(answer.status).toBe(name === 'strict' ? 202 : 200);
    await answer.text();
    const runs = (await callsOf(simulator.url, name)).filter((one) => one.started > 0);
    expect(runs.map((one) => [one.name, one.started])).toEqual(started);
  }
});

test('a session is forgotten after so many requests, or when told', async () => {
  const client = await connect(urlOf('sim-forget-after-3'), 'legacy');
  await client.ping();
  await expect(client.ping()).rejects.toMatchObject({ status: 404 });
  const other = await connect(urlOf('told'), 'legacy');
  expect(await act(simulator.url, 'forget', 'told')).toEqual({ forgotten: 1 });
  await expect(other.ping()).rejects.toMatchObject({ status: 404 });
  await Promise.all([client.close(), other.close()]);
});

test('headers that differ from the body are refused', async () => {
  const response = await post(urlOf('plain'), CALL, { 'mcp-name': 'sim_fail' });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { code: -32_020 } });
});

test('a foreign Host or Origin is refused on the loopback address', async () => {
  const statusWith = (headers: Record<string, string>): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      request(urlOf('plain'), { method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end('{}');
    });
  expect(await statusWith({ host: 'evil.example.com' })).toBe(403);
  expect(await statusWith({ origin: 'http://evil.example.com' })).toBe(403);
  expect(await statusWith({ 'content-type': 'application/json' })).not.toBe(403);
});

test('directives come in a header too, for one request', async () => {
  const refused = await post(urlOf('plain'), CALL, { 'x-sim-directives': 'status-500' });
  expect([refused.status, (await post(urlOf('plain'))).status]).toEqual([500, 200]);
});

test('what arrived can be read back with its headers, and counted by tool', async () => {
  const client = await connect('', 'auto', httpTransport(urlOf('books'), { 'x-trace': 't1' }));
  await client.callTool({ name: 'sim_echo', arguments: { a: 1 } });
  await client.callTool({ name: 'sim_fail', arguments: {} });
  await client.readResource({ uri: 'test://static-text' });
  const counts = await callsOf(simulator.url, 'books');
  expect(
    counts.map(({ finished, method, name, received }) => [method, name, received, finished]),
  ).toEqual(
    expect.arrayContaining([
      ['tools/call', 'sim_echo', 1, 1],
      ['tools/call', 'sim_fail', 1, 1],
      ['resources/read', 'test://static-text', 1, 0],
    ]),
  );
  const requests = await requestsOf(simulator.url, 'books');
  const call = requests.find(({ headers }) => headers['mcp-name'] === 'sim_echo');
  expect(call).toMatchObject({
    method: 'POST',
    path: '/mcp/books',
    headers: { 'x-trace': 't1' },
    body: { params: { name: 'sim_echo', arguments: { a: 1 } } },
  });
  expect(call?.headers).not.toHaveProperty('authorization');
  for (const book of ['calls', 'requests'])
    await fetch(`${simulator.url}/_sim/mcp/${book}`, { method: 'DELETE' });
  expect(await callsOf(simulator.url, 'books')).toEqual([]);
  expect(await requestsOf(simulator.url, 'books')).toEqual([]);
  await client.close();
});
