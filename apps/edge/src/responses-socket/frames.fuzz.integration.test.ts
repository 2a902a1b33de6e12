import { connect } from 'node:net';
import fc from 'fast-check';

import { KEY, startHarness, until, type Harness } from '../test-support/harness';
import { answering, connectSocket, create, isEnd } from './test-support/socket-client';

// Whatever a client sends, it is answered or its connection ends, and the process goes on.

let h: Harness;
beforeAll(async () => {
  h = await startHarness({ RESPONSES_WEBSOCKETS_PER_KEY: 1_000 });
  h.upstream.script = answering();
});
afterAll(() => h.stop());

async function serves(): Promise<void> {
  const client = await connectSocket(h.edge.url);
  const frames = await client.ask(create());
  expect(frames.at(-1)?.type).toBe('response.completed');
  client.ws.terminate();
  await client.closed;
}

/** Messages near to valid ones, and any JSON. */
const messages = fc.oneof(
  fc.json(),
  fc.string(),
  fc
    .record(
      {
        type: fc.constantFrom('response.create', 'response.cancel', 1, null),
        model: fc.constantFrom('house-model', '', 7, null),
        input: fc.oneof(fc.string(), fc.jsonValue()),
        previous_response_id: fc.oneof(fc.string(), fc.jsonValue()),
        stream_id: fc.oneof(fc.string(), fc.jsonValue()),
        generate: fc.constantFrom(true, false, null, 0),
        store: fc.constantFrom(true, false, null, 'no'),
        stream: fc.constantFrom(true, false, 'x'),
        background: fc.constantFrom(true, false, 'x'),
        client_metadata: fc.oneof(
          fc.constant({ ws_request_header_traceparent: 'x' }),
          fc.jsonValue(),
        ),
      },
      { requiredKeys: [] },
    )
    .map((message) => JSON.stringify(message)),
);

test('each message has one end: a response or a refusal', async () => {
  await fc.assert(
    fc.asyncProperty(messages, fc.boolean(), async (message, binary) => {
      const client = await connectSocket(h.edge.url);
      client.ws.send(binary ? Buffer.from(message) : message);
      await until(() => client.frames.some(isEnd), `an answer to ${message}`);
      const refused = client.frames.find(({ type }) => type === 'error');
      if (refused) {
        expect(refused.status).toBeGreaterThanOrEqual(400);
        expect(refused.status).toBeLessThan(500);
        expect(refused.error?.message).not.toBe('');
      }
      client.ws.terminate();
      await client.closed;
    }),
    { numRuns: 150 },
  );
  await serves();
});

const HANDSHAKE = [
  'GET /v1/responses HTTP/1.1',
  'host: x',
  'connection: Upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  `sec-websocket-key: ${Buffer.alloc(16).toString('base64')}`,
  `authorization: Bearer ${KEY}`,
  '\r\n',
].join('\r\n');

test('bytes that are no frames end their connection, and nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), async (bytes) => {
      const { port } = new URL(h.edge.url);
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => undefined);
      const closed = new Promise((resolve) => socket.on('close', resolve));
      // In one write, so that some of it comes with the request itself.
      socket.end(Buffer.concat([Buffer.from(HANDSHAKE), bytes]));
      socket.resume();
      await closed;
    }),
    { numRuns: 150 },
  );
  await serves();
  await until(() => h.policy.heldNow() === 0, 'all holds to end');
});
