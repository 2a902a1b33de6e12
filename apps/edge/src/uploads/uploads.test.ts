import { mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';

import { createUploads, writeForm, type Form, type UploadLimits } from '.';
import { createByteBudget } from '../intake';
import { createSpool } from './spool';

const directory = mkdtempSync(join(tmpdir(), 'tollgate-uploads-'));
afterAll(() => rm(directory, { recursive: true, force: true }));

const limits: UploadLimits = {
  bytes: 1_000_000,
  memoryBytes: 1_000,
  totalBytes: 2_000_000,
  directory,
};

async function bytesOf(parts: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of parts) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const pattern = (length: number, step = 1): Buffer =>
  Buffer.from(Array.from({ length }, (_, n) => (n * step) % 256));

describe('a spool', () => {
  test.each([900, 5_000])('reads any range of its %i bytes, repeatedly', async (length) => {
    const spool = createSpool(1_000, directory);
    const all = pattern(length);
    for (let at = 0; at < length; at += 300) await spool.write(all.subarray(at, at + 300));
    expect(spool.size()).toBe(length);
    for (const [start, end] of [
      [0, length],
      [299, 301],
      [500, 500],
      [0, length],
    ] as const) {
      expect((await bytesOf(spool.read(start, end))).equals(all.subarray(start, end))).toBe(true);
    }
    await spool.dispose();
  });

  test('leaves no file behind, even while it is in use', async () => {
    const spool = createSpool(10, directory);
    await spool.write(pattern(1_000));
    expect(readdirSync(directory)).toEqual([]);
    await spool.dispose();
    await spool.dispose();
  });

  test('that is released during a write is freed', async () => {
    const spool = createSpool(10, directory);
    const writing = spool.write(pattern(1_000));
    await spool.dispose();
    await writing;
    expect(readdirSync(directory)).toEqual([]);
  });

  test('that cannot write its file fails its writer', async () => {
    const spool = createSpool(10, join(directory, 'nowhere'));
    await expect(spool.write(pattern(100))).rejects.toThrow('ENOENT');
    await spool.dispose();
  });
});

const TYPE = 'multipart/form-data; boundary=b';

/** A request as Node provides it; `end` says whether the client sent all of it. */
function request(headers: Record<string, string> = {}) {
  const stream = new PassThrough() as PassThrough & { headers: object; complete: boolean };
  stream.headers = { 'content-type': TYPE, ...headers };
  stream.complete = false;
  stream.on('end', () => {
    stream.complete = true;
  });
  return { stream, req: stream as unknown as IncomingMessage };
}

const room = () => createByteBudget({ totalBytes: 1024 ** 3 }).open();

function receive(body: Buffer | string, over: Partial<UploadLimits> = {}): Promise<Form> {
  const { stream, req } = request();
  stream.end(body);
  return createUploads({ ...limits, ...over }).receive(req, room());
}

const part = (disposition: string, content: Buffer | string, type = ''): Buffer =>
  Buffer.concat([
    Buffer.from(`--b\r\nContent-Disposition: form-data; ${disposition}\r\n${type}\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
const file = (name: string, content: Buffer): Buffer =>
  part(`name="${name}"; filename="${name}.bin"`, content, 'Content-Type: audio/wav\r\n');
const END = Buffer.from('--b--\r\n');

describe('a form', () => {
  test('keeps the order of its parts, and separates its files', async () => {
    const [one, other] = [pattern(400_000), pattern(300_000, 7)];
    const body = [
      part('name="a"', 'x'),
      file('f', one),
      part('name="b"', 'ü'),
      file('g', other),
      END,
    ];
    const form = await receive(Buffer.concat(body));
    const names = form.parts.map(({ kind, name }) => `${kind} ${name}`);
    expect(names).toEqual(['field a', 'file f', 'field b', 'file g']);
    const files = form.parts.filter((part) => part.kind === 'file');
    expect(files.map(({ bytes }) => bytes)).toEqual([400_000, 300_000]);
    expect(files[0]?.head.equals(one.subarray(0, 64))).toBe(true);
    for (const [at, bytes] of [one, other].entries()) {
      expect((await bytesOf(files[at]?.read() ?? (async function* () {})())).equals(bytes)).toBe(
        true,
      );
    }
    await form.dispose();
    expect(readdirSync(directory)).toEqual([]);
  });

  test('is encoded with values replaced, removed and added', async () => {
    const body = [part('name="a"', 'x'), part('name="b"', 'y'), file('f', pattern(10)), END];
    const form = await receive(Buffer.concat(body));
    const written = writeForm(form, { a: 'new', b: undefined, c: 'added' });
    const bytes = await bytesOf(written.body);
    expect(bytes).toHaveLength(written.contentLength);
    const read = await new Response(new Uint8Array(bytes), {
      headers: { 'content-type': written.contentType },
    }).formData();
    expect([...read.keys()]).toEqual(['a', 'f', 'c']);
    expect([read.get('a'), read.get('c')]).toEqual(['new', 'added']);
    await form.dispose();
  });

  test('cannot inject a line into its encoding', async () => {
    const form: Form = {
      parts: [{ kind: 'field', name: 'a"\r\nX: y', value: 'v', contentType: 'text/plain' }],
      dispose: async () => undefined,
    };
    const text = (await bytesOf(writeForm(form, {}).body)).toString();
    expect(text).toContain('name="a%22%0D%0AX: y"');
  });

  test.each([
    ['above the size limit', Buffer.concat([file('f', pattern(2_000)), END]), { bytes: 1_000 }],
    ['that is truncated', Buffer.concat([file('f', pattern(2_000))]), {}],
    [
      'with a field that is too long',
      Buffer.concat([part('name="a"', pattern(1_100_000)), END]),
      { bytes: 2_000_000 },
    ],
    ['with a part without a name', Buffer.concat([part('filename="x"', 'y'), END]), {}],
    [
      'with too many parts',
      Buffer.concat([...Array<Buffer>(200).fill(part('name="a"', 'x')), END]),
      {},
    ],
  ])('%s is refused, and nothing is kept', async (_, body, over) => {
    await expect(receive(body, over)).rejects.toMatchObject({ code: 'invalid_request' });
    expect(readdirSync(directory)).toEqual([]);
  });

  test('whose sender disconnects is released', async () => {
    const { stream, req } = request();
    const receiving = createUploads(limits).receive(req, room());
    stream.write(part('name="a"', 'x'));
    stream.destroy();
    await expect(receiving).rejects.toMatchObject({ name: 'ClientGone' });
  });

  test('beyond the total limit is refused until others are released', async () => {
    const uploads = createUploads({ ...limits, totalBytes: 3_000 });
    const send = (): Promise<Form> => {
      const { stream, req } = request();
      stream.end(Buffer.concat([file('f', pattern(2_000)), END]));
      return uploads.receive(req, room());
    };
    const form = await send();
    await expect(send()).rejects.toMatchObject({ code: 'overloaded' });
    await form.dispose();
    await (await send()).dispose();
  });
});
