import { createAddressRules } from '@tollgate/contracts/node';
import { startStorage, type StorageServer } from '@tollgate/simulator';

import { objectName } from '.';
import { objectUrl, putObject, type S3Target } from './put-object';

const KEY = { accessKeyId: 'AKIA', secretAccessKey: 'se/cr+et=', region: 'eu-test-1' };
const OBJECT = {
  name: "a=1/it's (new)*/x.ndjson",
  body: Buffer.from('{}\n'),
  contentType: 'application/x-ndjson',
  contentEncoding: undefined,
};

let storage: StorageServer;
beforeAll(async () => {
  storage = await startStorage({
    key: KEY,
    bucket: 'records',
    fault: (name) => (name === 'silent' ? 'SILENT' : undefined),
  });
});
afterAll(() => storage.stop());

const target = (over: Partial<S3Target> = {}): S3Target => ({
  type: 'S3',
  endpoint: storage.url,
  region: KEY.region,
  bucket: 'records',
  prefix: '',
  addressing: 'PATH',
  accessKeyId: KEY.accessKeyId,
  compression: 'NONE',
  ...over,
});
const limits = (timeoutMs = 30_000) => ({
  addressRules: createAddressRules({ allowed: ['127.0.0.0/8'] }),
  timeoutMs,
});

test('names with signs that are encoded are signed as the storage reads them', async () => {
  const put = putObject(target(), KEY.secretAccessKey, OBJECT, limits(), Date.now());
  expect(await put).toEqual({ ok: true, status: 200 });
  expect(storage.objects.get(OBJECT.name)?.body).toEqual(OBJECT.body);
});

test.each([
  ['secret key', {}, 'wrong', 'SignatureDoesNotMatch'],
  ['access key', { accessKeyId: 'other' }, KEY.secretAccessKey, 'InvalidAccessKeyId'],
  ['region', { region: 'other' }, KEY.secretAccessKey, 'AuthorizationHeaderMalformed'],
  ['bucket', { bucket: 'other' }, KEY.secretAccessKey, 'NoSuchBucket'],
])('another %s is told by the code of the storage', async (_, over, secret, code) => {
  const outcome = await putObject(target(over), secret, OBJECT, limits(), Date.now());
  expect(outcome).toMatchObject({ ok: false, message: expect.stringContaining(code) as unknown });
});

test('a storage that is silent is given up', async () => {
  const object = { ...OBJECT, name: 'silent' };
  const outcome = await putObject(target(), KEY.secretAccessKey, object, limits(50), Date.now());
  expect(outcome).toMatchObject({
    ok: false,
    status: null,
    message: expect.stringMatching(/time/) as unknown,
  });
});

test('the bucket is in the path or in the host', () => {
  const at = { endpoint: 'https://s3.example.com:9000', bucket: 'b' };
  expect(objectUrl(target(at), 'a b/c')).toBe('https://s3.example.com:9000/b/a%20b/c');
  const inHost = target({ ...at, addressing: 'VIRTUAL_HOST' });
  expect(objectUrl(inHost, 'c')).toBe('https://b.s3.example.com:9000/c');
});

test('names of objects sort by day and number', () => {
  const parcel = {
    id: '019aa000-0000-7000-8000-000000000001',
    number: 42n,
    record: 'MCP_USAGE' as const,
    createdAt: new Date('2026-11-28T23:59:59.999Z'),
    compressed: true,
  };
  expect(objectName({ prefix: 'a/b' }, parcel)).toBe(
    `a/b/mcp-usage/2026/11/28/000000000042-${parcel.id}.ndjson.gz`,
  );
  const sample = { ...parcel, number: null, record: null, compressed: false };
  expect(objectName({ prefix: '' }, sample)).toBe(`test/2026/11/28/${parcel.id}.ndjson`);
});
