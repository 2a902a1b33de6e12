import { createHash } from 'node:crypto';
import { parseKeyRing, type KeyRing } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';

import type { Database } from '../schema';
import { startTestDatabases, type TestDatabases } from '../test-support';
import { createIdempotency, type Repeatable } from './idempotency';
import { IdempotencyKey } from './idempotency-key.entity';
import { createTenant, startRest } from './test-support';

let databases: TestDatabases;
let database: Database;
let userId: string;
beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  const server = await startRest(database);
  userId = (await createTenant(server, 'acme')).userIds.ORG_ADMIN;
  await server.stop();
});
afterAll(() => databases.stop());

const entry = (id: string, byte: number): string =>
  `${id}:${Buffer.alloc(32, byte).toString('base64')}`;
const OLD = parseKeyRing(entry('old', 1));
const ROTATED = parseKeyRing(`${entry('new', 2)},${entry('old', 1)}`);
const OTHER = parseKeyRing(entry('other', 3));

const request = (password = 'an initial password', key: string = uuidv7()): Repeatable => ({
  userId,
  key,
  method: 'POST',
  path: '/api/organisations/x/users',
  body: { email: 'ada@example.com', password },
  secret: false,
  nowMs: Date.now(),
});

const begin = (ring: KeyRing, asked: Repeatable) =>
  database.orm.transaction((tx) => createIdempotency(ring).begin(tx, asked));

async function finished(ring: KeyRing, asked: Repeatable): Promise<void> {
  await database.orm.transaction(async (tx) => {
    const idempotency = createIdempotency(ring);
    expect(await idempotency.begin(tx, asked)).toBeUndefined();
    await idempotency.finish(tx, asked, { status: 201, body: { id: 'made' } });
  });
}

const storedOf = ({ key }: Repeatable) =>
  database.orm.manager.findOneByOrFail(IdempotencyKey, { userId, key });

const plainHash = ({ method, path, body }: Repeatable): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([method, path, body]))
    .digest();

const REPLAY = { status: 201, body: { id: 'made' } };

test('what is kept of a body with a password cannot be made without the server’s key', async () => {
  const [ours, theirs] = [request(), request()];
  await finished(OLD, ours);
  await finished(OTHER, theirs);
  const digest = (await storedOf(ours)).requestSha256;
  expect(digest).toHaveLength(32);
  expect(digest.equals(plainHash(ours))).toBe(false);
  expect(digest.equals((await storedOf(theirs)).requestSha256)).toBe(false);
});

test('a repeat is answered as before, another password is another request', async () => {
  const asked = request();
  await finished(OLD, asked);
  expect(await begin(OLD, asked)).toEqual(REPLAY);
  const refused = begin(OLD, request('another password', asked.key));
  await expect(refused).rejects.toMatchObject({ code: 'conflict' });
});

test('a repeat is known after the key was rotated', async () => {
  const asked = request();
  await finished(OLD, asked);
  expect(await begin(ROTATED, asked)).toEqual(REPLAY);
});

test('a repeat of what the release before has answered is known', async () => {
  const asked = request();
  await finished(OLD, asked);
  const { key } = asked;
  const requestSha256 = plainHash(asked);
  await database.orm.manager.update(IdempotencyKey, { userId, key }, { requestSha256 });
  expect(await begin(OLD, asked)).toEqual(REPLAY);
  await expect(begin(OLD, request('another', key))).rejects.toMatchObject({ code: 'conflict' });
});
