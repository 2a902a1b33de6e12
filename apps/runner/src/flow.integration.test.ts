import { request, type IncomingMessage } from 'node:http';

import {
  ask,
  begin,
  HEADERS,
  INITIALIZE,
  post,
  startRig,
  stdioServer,
  type Rig,
} from './test-support/rig';

// How fast messages flow: clients that do not read, servers that say nothing, and ids of any kind.

const SILENCE_MS = 500;
let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
  rig.directory.connections.set('impatient', {
    ...stdioServer('small'),
    serverId: 'impatient',
    idleTimeoutMs: SILENCE_MS,
  });
});
afterAll(() => rig.stop());

const MEGABYTE = 1024 * 1024;

/** A response that is not read until the test does. */
function openUnread(url: string, session: string, message: object): Promise<IncomingMessage> {
  const headers = { ...HEADERS, 'mcp-session-id': session };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers }, (response) => {
      response.on('error', () => undefined);
      resolve(response);
    });
    sent.on('error', reject);
    sent.end(JSON.stringify({ jsonrpc: '2.0', ...message }));
  });
}

const flood = (megabytes: number): object => ({
  id: 'flood',
  method: 'test/flood',
  params: { megabytes, _meta: { progressToken: 'flood' } },
});

test('a client that reads late gets everything, as do others of its session', async () => {
  const url = rig.url('small');
  const session = await begin(url);
  const response = await openUnread(url, session, flood(64));
  const ping = ask(url, session, 'ping');
  let bytes = 0;
  for await (const chunk of response) bytes += (chunk as Buffer).length;
  expect(bytes).toBeGreaterThan(64 * MEGABYTE);
  expect(await ping).toMatchObject({ status: 200 });
});

test('a client that never reads is broken off, and others of its session go on', async () => {
  const url = rig.url('impatient');
  const session = await begin(url);
  const response = await openUnread(url, session, flood(64));
  expect(await ask(url, session, 'ping')).toMatchObject({ status: 200 });
  let bytes = 0;
  const read = async (): Promise<void> => {
    for await (const chunk of response) bytes += (chunk as Buffer).length;
  };
  await expect(read()).rejects.toThrow('aborted');
  expect(bytes).toBeLessThan(64 * MEGABYTE);
});

test('a request that its server says nothing about is ended at both sides', async () => {
  const url = rig.url('impatient');
  const session = await begin(url);
  const answer = await ask(url, session, 'test/silent');
  expect(answer.error).toMatchObject({ data: { code: 'server_silent' } });
  const { result } = await ask(url, session, 'test/cancelled');
  expect(result).toEqual({ ids: [1] });
});

const META = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };

describe.each(['-1', '1.5', '12345678901234567890', '"a b"'])('the id %s', (id) => {
  test('comes back as it was sent', async () => {
    const url = rig.url('small');
    const session = await begin(url);
    const inSession = await post(url, `{"jsonrpc":"2.0","method":"ping","id":${id}}`, {
      'mcp-session-id': session,
    });
    expect(await inSession.text()).toContain(`"id":${id},`);
    const params = JSON.stringify({ _meta: META });
    const without = await post(
      url,
      `{"jsonrpc":"2.0","method":"ping","params":${params},"id":${id}}`,
    );
    expect(await without.text()).toContain(`"id":${id},`);
  });
});

test('initialize takes such an id, too', async () => {
  const id = '98765432109876543210';
  const text = JSON.stringify({ jsonrpc: '2.0', ...INITIALIZE }).replace('"id":0', `"id":${id}`);
  const answer = await post(rig.url('small'), text);
  expect(await answer.text()).toContain(`"id":${id},`);
  expect(answer.headers.get('mcp-session-id')).not.toBeNull();
});
