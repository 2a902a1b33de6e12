import { rest } from '@tollgate/contracts';
import { createLogger, systemClock } from '@tollgate/kit';

import { ADMIN, startRest, type RestServer } from '../rest/test-support';
import { startHousekeeping, type Database } from '../schema';
import { startTestDatabases, type TestDatabases } from '../test-support';
import { beginAttempt, type Counted } from './throttle';

let databases: TestDatabases;
let database: Database;
/** Two replicas of one installation. */
let one: RestServer;
let two: RestServer;

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  one = await startRest(database);
  two = await startRest(database);
});
afterAll(async () => {
  await one.stop();
  await two.stop();
  await databases.stop();
});

const counts = (name: string, allowed: number): Counted[] => [
  { key: Buffer.from(`${name} a`), allowed, wiped: true },
  { key: Buffer.from(`${name} b`), allowed: 100, wiped: false },
];

it('is one for all replicas', async () => {
  const wrong = { body: { email: 'guessed@example.com', password: 'not the password' } };
  const statuses: number[] = [];
  for (let n = 0; n < 12; n += 1) {
    const replica = n % 2 === 0 ? one : two;
    statuses.push((await replica.refused(undefined, rest.login, wrong)).status);
  }
  expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);
});

it('does not let more through because they come at the same moment', async () => {
  const wrong = { body: { email: 'at-once@example.com', password: 'not the password' } };
  const all = await Promise.all(
    Array.from({ length: 25 }, (_, n) =>
      (n % 2 === 0 ? one : two).refused(undefined, rest.login, wrong),
    ),
  );
  expect(all.filter(({ status }) => status === 401)).toHaveLength(10);
  expect(all.filter(({ status }) => status === 429)).toHaveLength(15);
});

describe('the address that attempts are counted by', () => {
  const TOKEN = 'console-token-0123456789';
  const guess = { email: 'addressed@example.com', password: 'not the password' };
  const shown = (headers: Record<string, string>) => ({ body: guess, headers });
  const named = (n: number) => ({ 'x-forwarded-for': `203.0.113.${n}` });

  /** Statuses of twelve guesses, each with another X-Forwarded-For. */
  async function statuses(server: RestServer, headers: Record<string, string>): Promise<number[]> {
    await database.pool.query('DELETE FROM sign_in_throttle');
    const seen: number[] = [];
    for (let n = 0; n < 12; n += 1) {
      const sent = shown({ ...headers, ...named(n) });
      seen.push((await server.refused(undefined, rest.login, sent)).status);
    }
    return seen;
  }
  const slowed = [...Array<number>(10).fill(401), 429, 429];
  const apart = Array<number>(12).fill(401);

  it.each([
    ['is not what a caller on the machine states', {}, {}, slowed],
    ['is what the console states', {}, { 'x-service-token': TOKEN }, apart],
    ['is not what a caller with another token states', {}, { 'x-service-token': 'x' }, slowed],
    ['is what a configured proxy states', { trustedProxies: ['127.0.0.1'] }, {}, apart],
  ])('%s', async (_, options, headers, expected) => {
    const server = await startRest(database, { consoleToken: TOKEN, news: false, ...options });
    try {
      expect(await statuses(server, headers)).toEqual(expected);
    } finally {
      await server.stop();
    }
  });

  it('is the socket’s where the console states none, or no address', async () => {
    const server = await startRest(database, { consoleToken: TOKEN, news: false });
    try {
      for (const stated of [{}, { 'x-forwarded-for': 'unknown' }]) {
        const headers = { 'x-service-token': TOKEN, ...stated };
        await server.refused(undefined, rest.login, shown(headers));
        expect(server.logs.at(-1)).toContain('"remoteAddress":"127.0.0.1"');
      }
    } finally {
      await server.stop();
    }
  });
});

it('takes no notice of those who know the password', async () => {
  for (let n = 0; n < 15; n += 1) await one.signIn(ADMIN.email, ADMIN.password);
  const { waitMs } = await beginAttempt(database.orm.manager, counts('own', 1), Date.now());
  expect(waitMs).toBe(0);
});

it('waits twice as long after each further failure, and forgets', async () => {
  const db = database.orm.manager;
  let nowMs = Date.now();
  const waits: number[] = [];
  for (let n = 0; n < 4; n += 1) {
    await beginAttempt(db, counts('backoff', 2), nowMs);
    const { waitMs } = await beginAttempt(db, counts('backoff', 2), nowMs);
    waits.push(waitMs);
    nowMs += waitMs;
  }
  // Two of the first round are admitted: one without a wait, and one that begins it.
  expect(waits).toEqual([0, 60_000, 120_000, 240_000]);
  nowMs += 3_600_000;
  const first = await beginAttempt(db, counts('backoff', 2), nowMs);
  const second = await beginAttempt(db, counts('backoff', 2), nowMs);
  expect([first.waitMs, second.waitMs]).toEqual([0, 0]);
});

it('a success takes its own attempt back and no wait that another began', async () => {
  const db = database.orm.manager;
  const nowMs = Date.now();
  const mixed = counts('mixed', 2).map((one) => ({ ...one, wiped: false }));
  const right = await beginAttempt(db, mixed, nowMs);
  await beginAttempt(db, mixed, nowMs);
  await right.succeeded();
  const { waitMs } = await beginAttempt(db, mixed, nowMs);
  expect(waitMs).toBe(60_000);
});

it('keeps no address and no name, and is cleaned', async () => {
  await one.refused(undefined, rest.login, {
    body: { email: 'nobody@example.com', password: 'not the password' },
  });
  const rows = await database.pool.query('SELECT * FROM sign_in_throttle');
  expect(rows.rowCount).toBeGreaterThan(0);
  expect(JSON.stringify(rows.rows)).not.toMatch(/nobody|127\.0\.0\.1/);
  await database.pool.query(`UPDATE sign_in_throttle SET forget_at = now() - interval '1 minute'`);
  const log = createLogger({ service: 'catalog', level: 'error', write: () => {} });
  const house = await startHousekeeping({ pool: database.pool, log, clock: systemClock });
  await house.stop();
  const left = await database.pool.query('SELECT FROM sign_in_throttle');
  expect(left.rowCount).toBe(0);
});
