import { request } from 'node:http';
import { hashApiKey } from '@tollgate/contracts/node';

import { errorAnswer } from '../test-support/fake-upstream';
import {
  allow,
  candidate,
  deny,
  KEY,
  startHarness,
  until,
  type Harness,
} from '../test-support/harness';
import {
  answering,
  begin,
  connectSocket,
  create,
  end,
  isEnd,
  say,
  type SocketClient,
} from './test-support/socket-client';

const LIMIT_BYTES = 1024 * 1024;

let h: Harness;
const clients: SocketClient[] = [];
beforeAll(async () => {
  h = await startHarness({ BODY_LIMIT_BYTES: LIMIT_BYTES, RESPONSES_WEBSOCKETS_PER_KEY: 3 });
});
beforeEach(async () => {
  await h.reset();
  h.upstream.script = answering();
  h.policy.decide = () => allow([responses()]);
});
afterEach(async () => {
  for (const { ws } of clients) ws.terminate();
  await Promise.all(clients.splice(0).map(({ closed }) => closed));
});
afterAll(() => h.stop());

function responses() {
  return candidate({ upstreamFormat: 'openai' });
}

async function open(options: Parameters<typeof connectSocket>[1] = {}): Promise<SocketClient> {
  const client = await connectSocket(h.edge.url, options);
  clients.push(client);
  return client;
}

/** The answer to a request to upgrade, which was refused. */
function refusedUpgrade(headers: Record<string, string>, path = '/v1/responses', url = h.edge.url) {
  return new Promise<{ status: number; body: { error: { code: string } }; closed: boolean }>(
    (resolve, reject) => {
      const req = request(url + path, {
        headers: {
          connection: 'Upgrade',
          upgrade: 'websocket',
          'sec-websocket-version': '13',
          'sec-websocket-key': Buffer.alloc(16).toString('base64'),
          ...headers,
        },
      });
      req.on('upgrade', (_, socket) => {
        socket.destroy();
        reject(new Error('it was accepted'));
      });
      req.on('error', reject);
      req.on('response', (res) => {
        let text = '';
        res.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        res.on('end', () =>
          resolve({
            status: res.statusCode ?? 0,
            body: JSON.parse(text) as { error: { code: string } },
            closed: res.headers.connection === 'close',
          }),
        );
      });
      req.end();
    },
  );
}

test('a message is one request: its events are frames, and it is booked', async () => {
  const client = await open();
  const frames = await client.ask(create());
  expect(frames.map(({ type }) => type)).toEqual([
    'response.created',
    'response.output_item.added',
    'response.output_text.delta',
    'response.completed',
  ]);
  expect(h.policy.authorized[0]).toMatchObject({
    route: '/v1/responses',
    operation: 'responses',
    stream: true,
  });
  expect(h.upstream.received[0]?.body).toEqual({
    model: 'gpt-upstream',
    input: 'Hi',
    stream: true,
    max_output_tokens: 4_096,
  });
  expect(await h.settled()).toMatchObject({
    outcome: 'COMPLETED',
    httpStatus: 200,
    usage: { input: 10, output: 5 },
  });
  expect(h.log.some((line) => line.includes('"route":"/v1/responses"'))).toBe(true);
});

test('responses follow one another on one connection, in the order of their messages', async () => {
  const client = await open();
  client.send(create({ stream_id: 'a' }));
  client.send(create({ stream_id: 'b', input: 'Second' }));
  await until(() => client.frames.filter(isEnd).length === 2, 'both responses');
  expect(client.frames.map(({ stream_id }) => stream_id)).toEqual(Array.from('aaaabbbb'));
  expect(h.upstream.received.map(({ body }) => body['input'])).toEqual(['Hi', 'Second']);
});

test('a third message beside a running and a waiting one is refused', async () => {
  const held: (() => void)[] = [];
  h.upstream.script = (res) => {
    begin(res, 'resp_1');
    held.push(() => end(res, 'resp_1', 'done'));
  };
  const client = await open();
  client.send(create());
  await until(() => held.length === 1, 'the first response');
  client.send(create());
  client.send(create());
  await until(() => client.frames.some(({ type }) => type === 'error'), 'the refusal');
  expect(client.frames.find(({ type }) => type === 'error')).toMatchObject({
    status: 429,
    error: { code: 'rate_limit_exceeded' },
    headers: { 'retry-after': '1' },
  });
  held[0]?.();
  await until(() => held.length === 2, 'the second response');
  held[1]?.();
  await until(() => client.frames.filter(isEnd).length === 3, 'both responses');
});

test('a refusal is an error frame with the status and the headers of HTTP, and the connection goes on', async () => {
  const client = await open();
  h.policy.decide = () => deny('budget_exceeded');
  const [refused] = await client.ask(create({ stream_id: 's' }));
  expect(refused).toMatchObject({
    type: 'error',
    status: 402,
    stream_id: 's',
    error: { code: 'budget_exceeded' },
  });
  expect(refused?.headers?.['x-should-retry']).toBe('false');
  expect(refused?.headers?.['x-request-id']).toBe(h.policy.authorized[0]?.requestId);
  h.policy.decide = () => allow([responses()]);
  expect((await client.ask(create())).at(-1)?.type).toBe('response.completed');
});

test("a provider's refusal keeps its own words and status", async () => {
  h.upstream.script = (res) => errorAnswer(res, 422);
  const client = await open();
  const [refused] = await client.ask(create());
  expect(refused).toMatchObject({
    status: 422,
    error: { message: 'upstream says 422', code: 'c' },
  });
});

test('a stream that breaks ends as a failed response', async () => {
  h.upstream.script = (res) => {
    begin(res, 'resp_1');
    say(res, 'half');
    setImmediate(() => res.destroy());
  };
  const client = await open();
  expect((await client.ask(create())).at(-1)?.type).toBe('response.failed');
  expect(await h.settled()).toMatchObject({ outcome: 'PARTIAL' });
});

describe('the upgrade', () => {
  test.each([
    ['without a key', {}, 'missing_api_key'],
    ['with a key of another shape', { authorization: 'Basic abc' }, 'invalid_api_key'],
    [
      'with a key that policy does not know',
      { authorization: 'Bearer tg_unknown' },
      'invalid_api_key',
    ],
  ])('%s is refused over HTTP', async (_, headers, code) => {
    h.policy.strangers.add(hashApiKey('tg_unknown').toString('hex'));
    const refused = await refusedUpgrade(headers);
    expect(refused).toMatchObject({ status: 401, body: { error: { code } }, closed: true });
    expect(h.policy.authorized).toHaveLength(0);
  });

  test.each([
    ['sec-websocket-key', 'short'],
    ['sec-websocket-version', '12'],
  ])('with a wrong %s is refused by name', async (name, value) => {
    const refused = await refusedUpgrade({ authorization: `Bearer ${KEY}`, [name]: value });
    expect(refused).toMatchObject({ status: 400, body: { error: { param: name } } });
  });

  test('of another path is 404', async () => {
    const refused = await refusedUpgrade({ authorization: `Bearer ${KEY}` }, '/v1/chat');
    expect(refused).toMatchObject({ status: 404, body: { error: { code: 'route_not_found' } } });
  });

  test('beyond the connections of the key is 429', async () => {
    for (let n = 0; n < 3; n += 1) await open();
    const refused = await refusedUpgrade({ authorization: `Bearer ${KEY}` });
    expect(refused).toMatchObject({
      status: 429,
      body: { error: { code: 'rate_limit_exceeded' } },
    });
    const other = await open({ key: 'tg_another-key-0123456789' });
    expect(other.ws.readyState).toBe(other.ws.OPEN);
  });

  test('a request to upgrade to something else is served as HTTP', async () => {
    const refused = await refusedUpgrade({ upgrade: 'h2c' });
    expect(refused).toMatchObject({ status: 404 });
  });
});

describe('what a frame may be', () => {
  test.each([
    ['binary', Buffer.from(JSON.stringify(create())), 'text frame'],
    ['no JSON', '{"type":', 'not valid JSON'],
    ['no object', '[1]', 'JSON object'],
    ['of an unknown type', JSON.stringify({ type: 'response.steer' }), 'type:'],
    ['without a type', JSON.stringify({ model: 'm', input: 'x' }), 'type:'],
    ['with a long stream', JSON.stringify(create({ stream_id: 'x'.repeat(257) })), 'stream_id:'],
    ['without a model', JSON.stringify({ type: 'response.create', input: 'x' }), 'model'],
  ])('%s is refused by name, and the connection goes on', async (_, message, text) => {
    const client = await open();
    client.send(message);
    await until(() => client.frames.length === 1, 'an answer');
    expect(client.frames[0]).toMatchObject({ type: 'error', status: 400 });
    expect(client.frames[0]?.error?.message).toContain(text);
    expect((await client.ask(create())).at(-1)?.type).toBe('response.completed');
  });

  test('larger than the limit of a body ends the connection with the refusal', async () => {
    const client = await open();
    client.send(create({ input: 'x'.repeat(2 * LIMIT_BYTES) }));
    expect(await client.closed).toEqual({ code: 1009, reason: 'invalid_request' });
    expect(client.frames).toMatchObject([{ type: 'error', status: 400 }]);
    expect(client.frames[0]?.error?.message).toContain(`${LIMIT_BYTES} bytes`);
  });

  test('a large message within the limit is served', async () => {
    const client = await open();
    expect((await client.ask(create({ input: 'x'.repeat(LIMIT_BYTES / 2) }))).at(-1)?.type).toBe(
      'response.completed',
    );
  });

  test('`response.processed` needs no answer', async () => {
    const client = await open();
    client.send({ type: 'response.processed', response_id: 'resp_1' });
    expect((await client.ask(create())).map(({ type }) => type)[0]).toBe('response.created');
    expect(h.policy.authorized).toHaveLength(1);
  });
});

test('`response.processed` takes no place of a message that waits', async () => {
  const held: (() => void)[] = [];
  h.upstream.script = (res) => {
    begin(res, 'resp_1');
    held.push(() => end(res, 'resp_1', 'done'));
  };
  const client = await open();
  client.send(create());
  await until(() => held.length === 1, 'the first response');
  client.send({ type: 'response.processed', response_id: 'resp_0' });
  client.send(create());
  held[0]?.();
  await until(() => held.length === 2, 'the second response');
  held[1]?.();
  await until(() => client.frames.filter(isEnd).length === 2, 'both responses');
  expect(client.frames.filter(isEnd).map(({ type }) => type)).toEqual([
    'response.completed',
    'response.completed',
  ]);
});

test('the headers of the connection go with each message, without those of the upgrade', async () => {
  const client = await open({
    headers: {
      'openai-beta': 'responses_websockets=2026-02-06, other=v1',
      session_id: 'session-1',
    },
  });
  await client.ask(create());
  const headers = h.upstream.received[0]?.headers;
  expect(headers?.['openai-beta']).toBe('other=v1');
  expect(headers).not.toHaveProperty('sec-websocket-key');
  expect(headers).not.toHaveProperty('upgrade');
});

test('a client that leaves within a response: the call is aborted and booked as such', async () => {
  h.upstream.script = (res) => {
    begin(res, 'resp_1');
    say(res, 'five words of an answer');
  };
  const client = await open();
  client.send(create());
  await until(
    () => client.frames.some(({ type }) => type === 'response.output_text.delta'),
    'output',
  );
  client.ws.terminate();
  await until(() => h.upstream.received[0]?.aborted === true, 'the upstream to be let go');
  const settled = await h.settled();
  expect(settled).toMatchObject({
    outcome: 'CLIENT_CLOSED',
    httpStatus: 499,
    usageQuality: 'ESTIMATED',
  });
  expect(settled.usage?.output).toBeGreaterThanOrEqual(5);
});

test('a key that has been revoked ends the connection at its next response', async () => {
  const client = await open();
  h.policy.decide = () => deny('invalid_api_key');
  client.send(create());
  expect(await client.closed).toEqual({ code: 1008, reason: 'the API key is not valid' });
  expect(client.frames).toMatchObject([
    { type: 'error', status: 401, error: { code: 'invalid_api_key' } },
  ]);
});

test('a client that does not read stops the provider, and memory stays bounded', async () => {
  let written = 0;
  let stopped = false;
  h.upstream.script = async (res) => {
    begin(res, 'resp_1');
    const text = 'x'.repeat(64 * 1024);
    let goOn: (value?: unknown) => void = () => undefined;
    res.on('drain', () => goOn());
    res.on('close', () => goOn());
    while (!res.destroyed && written < 256) {
      written += 1;
      if (say(res, text)) continue;
      stopped = true;
      await new Promise((resolve) => {
        goOn = resolve;
      });
      stopped = false;
    }
    end(res, 'resp_1', 'done');
  };
  h.policy.decide = () =>
    allow([{ ...responses(), maxOutputTokens: 100_000_000, heldOutputTokens: 100_000_000 }]);
  const client = await open();
  client.ws.pause();
  client.send(create());
  let last = -1;
  // Nothing moves any more once all buffers between provider and client are full.
  await until(() => {
    const still = stopped && written === last;
    last = written;
    return still;
  }, 'the provider to be stopped');
  expect(written).toBeLessThan(256);
  client.ws.resume();
  await until(() => client.frames.some(isEnd), 'the end');
  expect(client.frames.filter(({ type }) => type === 'response.output_text.delta')).toHaveLength(
    256,
  );
});
