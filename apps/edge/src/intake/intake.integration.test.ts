// The cost of a body before and after its key is known, over real connections.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashApiKey } from '@tollgate/contracts/node';

import { chat, errorOf, KEY, startHarness, until, type Harness } from '../test-support/harness';

const STRANGER = 'tg_made-up-key';
const BUFFER_BYTES = 4 * 1024 * 1024;
const uploads = mkdtempSync(join(tmpdir(), 'tollgate-uploads-'));

let h: Harness;
const sockets = new Set<Socket>();
beforeAll(async () => {
  h = await startHarness({ BODY_BUFFER_BYTES: BUFFER_BYTES, UPLOAD_DIR: uploads });
});
beforeEach(async () => {
  await h.reset();
  h.policy.strangers.add(hashApiKey(STRANGER).toString('hex'));
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
});
afterAll(async () => {
  await h.stop();
  rmSync(uploads, { recursive: true });
});

interface Sent {
  socket: Socket;
  answer: () => string;
  closed: () => boolean;
}

/** Sends a request head, and as much of its body as the test wants. */
function send(path: string, key: string, headers: Record<string, string>, body: string): Sent {
  const socket = connect(h.edge.port, '127.0.0.1');
  sockets.add(socket);
  let text = '';
  let closed = false;
  socket.on('data', (chunk) => (text += chunk.toString()));
  socket.on('close', () => (closed = true));
  socket.on('error', () => undefined);
  const head = { host: 'edge', authorization: `Bearer ${key}`, ...headers };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  return { socket, answer: () => text, closed: () => closed };
}

const JSON_TYPE = { 'content-type': 'application/json' };
const withLength = (bytes: number) => ({ ...JSON_TYPE, 'content-length': String(bytes) });
const long = (bytes: number): string => JSON.stringify(chat({ user: 'x'.repeat(bytes) }));
const chunkOf = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

test('a small body is read without a check of its key', async () => {
  expect((await h.post('/v1/chat/completions', chat())).status).toBe(200);
  expect(h.policy.confirmed).toBe(0);
});

test('a large body of a valid key is served, and the key is remembered', async () => {
  const key = { authorization: 'Bearer tg_another-key' };
  for (let times = 0; times < 3; times += 1) {
    const response = await h.post('/v1/chat/completions', long(100_000), key);
    expect(response.status).toBe(200);
  }
  expect(h.policy.confirmed).toBe(1);
  expect(h.policy.authorized).toHaveLength(3);
});

test('a large body of an unknown key is not read: 401, and the connection closes', async () => {
  const sent = send('/v1/chat/completions', STRANGER, withLength(20 * 1024 ** 2), '{"model":"m",');
  await until(() => sent.answer().includes('invalid_api_key'), 'the refusal');
  expect(sent.answer()).toMatch(/^HTTP\/1.1 401 /);
  await until(sent.closed, 'the connection to be closed');
  expect(h.policy.authorized).toHaveLength(0);
});

test('a chunked body of an unknown key is not read beyond the limit for unknown keys', async () => {
  const chunked = { ...JSON_TYPE, 'transfer-encoding': 'chunked' };
  const sent = send('/v1/chat/completions', STRANGER, chunked, chunkOf('{"model":"m",'));
  sent.socket.write(chunkOf(' '.repeat(70_000)));
  await until(() => sent.answer().includes('invalid_api_key'), 'the refusal');
  await until(sent.closed, 'the connection to be closed');
});

test('a chunked body of a valid key is read to its end', async () => {
  const chunked = { ...JSON_TYPE, 'transfer-encoding': 'chunked' };
  const text = long(300_000);
  const sent = send('/v1/chat/completions', KEY, chunked, chunkOf(text.slice(0, 1_000)));
  sent.socket.write(`${chunkOf(text.slice(1_000))}0\r\n\r\n`);
  await until(() => sent.answer().includes('200 OK'), 'the answer');
  expect(h.upstream.received[0]?.body['user']).toHaveLength(300_000);
});

test('a form of an unknown key is kept neither in memory nor on disk', async () => {
  const type = { 'content-type': 'multipart/form-data; boundary=b', 'content-length': '30000000' };
  const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
  const sent = send('/v1/audio/transcriptions', STRANGER, type, part + 'x'.repeat(3_000_000));
  await until(() => sent.answer().includes('invalid_api_key'), 'the refusal');
  expect(readdirSync(uploads)).toEqual([]);
});

test('while policy is unavailable, a large body is 503, not 401', async () => {
  h.policy.failing.add('confirmKey');
  const response = await h.post('/v1/chat/completions', long(100_000), {
    authorization: 'Bearer tg_not-known-yet',
  });
  expect(response.status).toBe(503);
  expect((await errorOf(response)).code).toBe('dependency_unavailable');
});

test('bodies beyond the buffer are refused with retry-after, and others continue', async () => {
  const half = BUFFER_BYTES / 2;
  const keep = ['tg_first', 'tg_second'].map((key) =>
    send('/v1/chat/completions', key, withLength(half - 4_096), '{'),
  );
  await until(() => h.policy.confirmed >= 2, 'both keys to be confirmed');
  const refused = send('/v1/chat/completions', 'tg_third', withLength(half), '{');
  await until(() => refused.answer().includes('overloaded'), 'the refusal');
  expect(refused.answer()).toMatch(/^HTTP\/1.1 503 /);
  expect(refused.answer().toLowerCase()).toContain('retry-after: 1\r\n');
  expect((await h.post('/v1/chat/completions', chat())).status).toBe(200);
  for (const { socket } of keep) socket.destroy();
});

test('one key cannot fill the buffer with many bodies', async () => {
  const size = BUFFER_BYTES / 2 - 100_000;
  send('/v1/chat/completions', 'tg_greedy', withLength(size), '{');
  await until(() => h.policy.confirmed >= 1, 'the key to be confirmed');
  const second = send('/v1/chat/completions', 'tg_greedy', withLength(size), '{');
  await until(() => second.answer().includes('overloaded'), 'the refusal');
  const body = long(1_000_000);
  expect((await h.post('/v1/chat/completions', body)).status).toBe(200);
});

test('unknown keys that fill their share of the buffer do not keep known keys out', async () => {
  const many = Array.from({ length: BUFFER_BYTES / 4 / 65_536 }, () =>
    send('/v1/chat/completions', STRANGER, withLength(65_536), '{'),
  );
  await until(() => many.every(({ socket }) => socket.bytesWritten > 0), 'all to be sent');
  const next = send('/v1/chat/completions', STRANGER, withLength(65_536), '{');
  await until(() => next.answer().includes('invalid_api_key'), 'the refusal');
  expect((await h.post('/v1/chat/completions', long(50_000))).status).toBe(200);
});

test('a client that disconnects during the check of its key leaves nothing behind', async () => {
  h.policy.frozen = true;
  const body = withLength(BUFFER_BYTES / 2);
  const sent = send('/v1/chat/completions', 'tg_leaving', body, '{');
  await until(() => sent.socket.bytesWritten > 0, 'the head to be sent');
  sent.socket.destroy();
  h.policy.thaw();
  const response = await h.post('/v1/chat/completions', long(BUFFER_BYTES / 2 + 500_000));
  expect(response.status).toBe(200);
});

const BAD_SHAPES: [name: string, body: (elements: number) => string, param: string][] = [
  [
    'empty lists for messages',
    (n) => `{"model":"m","messages":[${'[],'.repeat(n)}[]]}`,
    'messages',
  ],
  [
    'empty objects for messages',
    (n) => `{"model":"m","messages":[${'{},'.repeat(n)}{}]}`,
    'messages',
  ],
  [
    'empty parts of a message',
    (n) => `{"model":"m","messages":[{"role":"user","content":[${'{},'.repeat(n)}{}]}]}`,
    'messages',
  ],
];

describe.each(BAD_SHAPES)('%s', (_, build, param) => {
  test.each([1_000, 60_000, 200_000])('%d elements are one error, at once', async (elements) => {
    const response = await h.post('/v1/chat/completions', build(elements));
    expect(response.status).toBe(400);
    const error = await errorOf(response);
    expect(error.code).toBe('invalid_request');
    expect(error.param?.startsWith(param)).toBe(true);
    expect(error.message.length).toBeLessThan(300);
  });
});

test('a body with too many fields is refused with that reason', async () => {
  const fields = Array.from({ length: 5_000 }, (_, n) => `"f${n}":1`).join(',');
  const response = await h.post('/v1/chat/completions', `{"model":"m",${fields}}`);
  expect(response.status).toBe(400);
  expect((await errorOf(response)).message).toContain('4096 fields');
});

test('a body above a mebibyte is served byte for byte', async () => {
  const text = `é${'x'.repeat(2_000_000)}`;
  const response = await h.post('/v1/embeddings', { model: 'house-model', input: text });
  expect(response.status).not.toBe(500);
  expect(h.upstream.received[0]?.body['input']).toBe(text);
});
