import { request, type ClientRequest, type IncomingMessage } from 'node:http';

import { delta, DONE, openSse, role, stop, usageChunk } from '../test-support/fake-upstream';
import {
  allow,
  candidate,
  chat,
  KEY,
  startHarness,
  until,
  type Harness,
} from '../test-support/harness';

let h: Harness;
beforeAll(async () => {
  h = await startHarness();
});
beforeEach(() => h.reset());
afterAll(() => h.stop());

/** A client whose connection the test controls. */
function open(body: object): { req: ClientRequest; answered: Promise<IncomingMessage> } {
  const req = request(`${h.edge.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    req.on('response', resolve);
    req.on('error', reject);
  });
  // The test breaks the connection on purpose.
  answered.catch(() => undefined);
  req.end(JSON.stringify(body));
  return { req, answered };
}

test('a client that disconnects before the answer: the call is aborted, and what it may have cost is charged', async () => {
  h.upstream.script = () => undefined;
  const { req } = open(chat());
  await until(() => h.upstream.received.length === 1, 'the upstream to be called');
  req.destroy();
  await until(() => h.upstream.received[0]?.aborted === true, 'the upstream to be let go');
  const settled = await h.settled();
  expect(settled).toMatchObject({
    cancelled: false,
    outcome: 'CLIENT_CLOSED',
    usageQuality: 'ESTIMATED',
    httpStatus: 499,
    attempts: [{ outcome: 'ABORTED' }],
  });
  expect(settled.usage?.input).toBe(h.policy.authorized[0]?.inputTokensEstimate);
  // Nobody knows what the provider has written until then.
  expect(settled.usage?.output).toBeGreaterThan(0);
});

test('a client that disconnects within a stream: the output so far is charged', async () => {
  h.upstream.script = (res) => {
    openSse(res);
    res.write(role() + delta('five words of an answer'));
  };
  const { req, answered } = open(chat({ stream: true }));
  const response = await answered;
  await new Promise((resolve) => response.once('data', resolve));
  response.on('error', () => undefined);
  req.destroy();
  await until(() => h.upstream.received[0]?.aborted === true, 'the upstream to be let go');
  const settled = await h.settled();
  expect(settled).toMatchObject({ outcome: 'CLIENT_CLOSED', usageQuality: 'ESTIMATED' });
  expect(settled.usage?.output).toBeGreaterThanOrEqual(5);
  expect(Number(settled.costNanoUsd)).toBeGreaterThan(0);
});

test.each([
  ['which it has got the head of', [candidate()]],
  ['which another candidate could answer yet', [candidate(), candidate({ modelId: 'model-2' })]],
])(
  'a client that leaves a stream before its first token is charged for unseen thinking: one %s',
  async (_, candidates) => {
    h.policy.decide = () => allow(candidates);
    let written = false;
    h.upstream.script = (res) => {
      openSse(res);
      res.write(role(), () => {
        written = true;
      });
    };
    const { req, answered } = open(chat({ stream: true }));
    if (candidates.length === 1) {
      const response = await answered;
      await new Promise((resolve) => response.once('data', resolve));
      response.on('error', () => undefined);
    } else {
      await until(() => written, 'the head of the stream');
      // The edge reads it before it serves the next request.
      expect((await h.get('/v1/health')).status).toBe(200);
    }
    req.destroy();
    const settled = await h.settled();
    expect(settled).toMatchObject({ outcome: 'CLIENT_CLOSED', usageQuality: 'ESTIMATED' });
    expect(settled.usage?.output).toBeGreaterThan(0);
  },
);

test('a client that disconnects while policy decides: the hold is cancelled', async () => {
  h.policy.frozen = true;
  const { req } = open(chat());
  const received = h.policy.frames.length;
  await until(() => h.policy.frames.length > received, 'policy to be asked');
  const closed = new Promise((resolve) => req.once('close', resolve));
  req.destroy();
  await closed;
  // The edge notices the closed socket before it serves the next request.
  expect((await h.get('/v1/health')).status).toBe(200);
  h.policy.thaw();
  expect(await h.settled()).toMatchObject({ cancelled: true, costNanoUsd: '' });
  expect(h.upstream.received).toHaveLength(0);
});

test('what its conversation counts already is named by a hold that is cancelled', async () => {
  h.policy.frozen = true;
  h.policy.decide = () => ({ allow: { ...allow().allow, addedTokens: 7 } });
  const received = h.policy.frames.length;
  const leaving = new AbortController();
  const left = fetch(`${h.edge.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: chat().model, input: 'Hi', conversation: 'conv_1' }),
    signal: leaving.signal,
  });
  left.catch(() => undefined);
  await until(() => h.policy.frames.length > received, 'policy to be asked');
  leaving.abort();
  expect((await h.get('/v1/health')).status).toBe(200);
  h.policy.thaw();
  const settled = await h.settled();
  expect(settled).toMatchObject({ cancelled: true, assumedTokens: 7, conversationId: 'conv_1' });
});

test('a client that disconnects within its own body leaves nothing behind', async () => {
  const req = request(`${h.edge.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-length': '1000' },
  });
  req.on('error', () => undefined);
  req.write('{"model":');
  await new Promise((resolve) => req.once('socket', (socket) => socket.once('connect', resolve)));
  req.destroy();
  await until(() => h.log.some((line) => line.includes('CLIENT_CLOSED')), 'the line in the log');
  expect(h.policy.authorized).toHaveLength(0);
});

test('a slow client causes backpressure on the upstream', async () => {
  const text = 'x'.repeat(64 * 1024);
  const long = { maxOutputTokens: 100_000_000, heldOutputTokens: 100_000_000 };
  h.policy.decide = () => allow([candidate(long)]);
  let written = 0;
  let full = false;
  h.upstream.script = async (res) => {
    openSse(res);
    res.write(role());
    for (let n = 0; n < 1_000; n += 1) {
      written = n;
      if (!res.write(delta(text))) {
        full = true;
        await new Promise((resolve) => res.once('drain', resolve));
      }
    }
    res.end(stop() + usageChunk() + DONE);
  };
  const { answered } = open(chat({ stream: true }));
  const response = await answered;
  response.pause();
  // The upstream sends 64 MB. The socket buffers take a few, and then backpressure must stop it.
  await until(() => full && stands(() => written), 'the upstream to stand still', 30_000);
  expect(written).toBeLessThan(700);
  let bytes = 0;
  let end = '';
  response.on('data', (part: Buffer) => {
    bytes += part.length;
    // A read may end anywhere, within the last event too.
    end = (end + part.toString('latin1')).slice(-DONE.length);
  });
  response.resume();
  await new Promise((resolve) => response.once('end', resolve));
  expect(bytes).toBeGreaterThan(1_000 * text.length);
  expect(end).toBe(DONE);
  expect((await h.settled()).outcome).toBe('COMPLETED');
}, 60_000);

/** Whether a number has not changed for half a second. */
const stands = (() => {
  let last = -1;
  let sinceMs = 0;
  return (read: () => number): boolean => {
    const now = performance.now();
    if (read() !== last) {
      last = read();
      sinceMs = now;
    }
    return now - sinceMs > 500;
  };
})();
