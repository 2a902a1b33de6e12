// Compressed bodies obey the limits of plain ones, over real connections.

import {
  brotliCompressSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
  type InputType,
} from 'node:zlib';
import { hashApiKey } from '@tollgate/contracts/node';

import { chat, errorOf, KEY, startHarness, until, type Harness } from '../test-support/harness';

const STRANGER = 'tg_made-up-key';
const LIMIT_BYTES = 2 * 1024 * 1024;
const BUFFER_BYTES = 32 * 1024 * 1024;

let h: Harness;
beforeAll(async () => {
  h = await startHarness({ BODY_LIMIT_BYTES: LIMIT_BYTES, BODY_BUFFER_BYTES: BUFFER_BYTES });
});
beforeEach(async () => {
  await h.reset();
  h.policy.strangers.add(hashApiKey(STRANGER).toString('hex'));
});
afterAll(() => h.stop());

const PACKERS: Record<string, (data: InputType) => Buffer> = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
};
const packings = Object.entries(PACKERS);

const post = (body: Buffer, encoding: string, { key = KEY, type = 'application/json' } = {}) =>
  fetch(`${h.edge.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': type, 'content-encoding': encoding },
    body: new Uint8Array(body),
  });
const long = (bytes: number): string => JSON.stringify(chat({ user: 'x'.repeat(bytes) }));

test.each(packings)('%s: any size arrives upstream uncompressed', async (name, pack) => {
  for (const bytes of [10, LIMIT_BYTES - 1_000]) {
    await h.reset();
    const response = await post(pack(long(bytes)), name);
    expect(response.status).toBe(200);
    expect(h.upstream.received[0]?.body['user']).toHaveLength(bytes);
    expect(h.upstream.received[0]?.headers['content-encoding']).toBeUndefined();
  }
});

test.each(packings)('%s: a body above the limit after decompression is 400', async (name, pack) => {
  const response = await post(pack(long(LIMIT_BYTES + 1)), name);
  expect(response.status).toBe(400);
  expect((await errorOf(response)).message).toContain(`${LIMIT_BYTES} bytes`);
  expect(h.policy.authorized).toHaveLength(0);
});

test('a decompression bomb is stopped at the limit, before it exhausts memory', async () => {
  // A gibibyte, far more than the budget holds.
  const bomb = Buffer.concat(Array(64).fill(gzipSync(Buffer.alloc(16 * 1024 * 1024))) as Buffer[]);
  const before = process.memoryUsage().rss;
  const response = await post(bomb, 'gzip');
  expect(response.status).toBe(400);
  expect(process.memoryUsage().rss - before).toBeLessThan(256 * 1024 * 1024);
});

test('input that decompresses to nothing has a limit too', async () => {
  const nothing = gzipSync('');
  const body = Buffer.alloc(nothing.length * 200_000, nothing);
  const response = await fetch(`${h.edge.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-encoding': 'gzip' },
    body: new Blob([body]).stream(),
    duplex: 'half',
  });
  expect(response.status).toBe(400);
  expect((await errorOf(response)).message).toContain(`${LIMIT_BYTES} bytes`);
});

test('no body of an unknown key is decompressed', async () => {
  const response = await post(gzipSync(long(10)), 'gzip', { key: STRANGER });
  expect(response.status).toBe(401);
  const broken = await post(Buffer.from('no gzip at all'), 'gzip', { key: STRANGER });
  expect(broken.status).toBe(401);
});

test.each(packings)('%s: a truncated or invalid body is 400', async (name, pack) => {
  const whole = pack(long(1_000));
  for (const body of [whole.subarray(0, whole.length / 2), Buffer.from('plain text')]) {
    const response = await post(body, name);
    expect(response.status).toBe(400);
    expect((await errorOf(response)).param).toBe('content-encoding');
  }
});

test('a compressed form is 400', async () => {
  const response = await fetch(`${h.edge.url}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${KEY}`,
      'content-type': 'multipart/form-data; boundary=b',
      'content-encoding': 'gzip',
    },
    body: new Uint8Array(gzipSync('--b--')),
  });
  expect(response.status).toBe(400);
  expect((await errorOf(response)).param).toBe('content-encoding');
});

test('decompressed bytes count against the budget, and are returned', async () => {
  // The budget holds only a few bodies, so all are served only if each returns its part.
  const body = gzipSync(long(LIMIT_BYTES - 1_000));
  for (let n = 0; n < 2 * (BUFFER_BYTES / LIMIT_BYTES); n += 1) {
    expect((await post(body, 'gzip')).status).toBe(200);
  }
  await until(() => h.policy.heldNow() === 0, 'the holds to end');
});
