import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createLogger } from '@tollgate/kit';
import { SMTPServer } from 'smtp-server';

import { TEST_KEY_RING } from '../rest/test-support';
import type { Database } from '../schema';
import { startTestCatalog, startTestDatabases, until, type TestDatabases } from '../test-support';
import { deliverNext, retryAfterMs, type DeliveryDeps } from './deliver';
import { enqueueLetter } from './outbox';
import { createSmtp, type SendMail } from './smtp';

interface Received {
  from: string;
  to: string[];
  user: string;
  message: string;
}

let databases: TestDatabases;
let database: Database & { url: string };
let smtp: SMTPServer;
let url: string;
let received: Received[] = [];
/** The status with which recipients are refused; 0 accepts them. */
let refuseWith = 0;
let logs: string[] = [];

const START_MS = Date.UTC(2026, 0, 1);
const LINK = 'https://console.example.com/reset-password#token=the-secret-of-the-link';

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  smtp = new SMTPServer({
    hideSTARTTLS: true,
    allowInsecureAuth: true,
    onAuth: ({ username = '', password }, _session, done) => {
      if (password === 'p@ss word') done(null, { user: username });
      else done(new Error('wrong password'));
    },
    onRcptTo: (_address, _session, done) => {
      if (refuseWith === 0) done();
      else done(Object.assign(new Error('not now'), { responseCode: refuseWith }));
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          user: String(session.user),
          message: Buffer.concat(chunks).toString('utf8'),
        });
        done();
      });
    },
  });
  smtp.listen(0, '127.0.0.1');
  await once(smtp.server, 'listening');
  const { port } = smtp.server.address() as AddressInfo;
  url = `smtp://tollgate:p%40ss%20word@127.0.0.1:${port}`;
});
beforeEach(async () => {
  await database.pool.query('DELETE FROM mail_outbox');
  received = [];
  refuseWith = 0;
  logs = [];
});
afterAll(async () => {
  await new Promise<void>((resolve) => {
    smtp.close(() => resolve());
  });
  await databases.stop();
});

function delivery(nowMs: number, send?: SendMail): DeliveryDeps {
  return {
    pool: database.pool,
    ring: TEST_KEY_RING,
    send: send ?? createSmtp({ url, from: 'Tollgate <tollgate@example.com>' }),
    log: createLogger({ service: 'catalog', level: 'debug', write: (line) => logs.push(line) }),
    clock: { now: () => nowMs },
  };
}

function enqueue(recipient = 'user@example.com', lifeMs = 86_400_000): Promise<string> {
  const content = { link: LINK, expiresAt: '2026-01-02 00:00 UTC' };
  const letter = { kind: 'PASSWORD_RESET' as const, organisationId: null, recipient, content };
  return database.orm.transaction((tx) =>
    enqueueLetter(tx, TEST_KEY_RING, { ...letter, expiresAtMs: START_MS + lifeMs }, START_MS),
  );
}

async function rowOf(id: string): Promise<Record<string, unknown>> {
  const { rows } = await database.pool.query<Record<string, unknown>>(
    'SELECT status, attempts, last_error, sealed, sent_at FROM mail_outbox WHERE id = $1',
    [id],
  );
  return rows[0] ?? {};
}

it('delivers a letter once, as text and as HTML, from the configured sender', async () => {
  const id = await enqueue();
  expect(await deliverNext(delivery(START_MS))).toBe('SENT');
  expect(await deliverNext(delivery(START_MS))).toBeUndefined();
  const [mail] = received;
  expect(received).toHaveLength(1);
  expect(mail).toMatchObject({
    from: 'tollgate@example.com',
    to: ['user@example.com'],
    user: 'tollgate',
  });
  expect(mail?.message).toMatch(/^Subject: Set a new password\r$/m);
  expect(mail?.message).toMatch(/text\/plain[\s\S]*text\/html/);
  expect(mail?.message.replaceAll('=\r\n', '').replaceAll('=3D', '=')).toContain(LINK);
  expect(await rowOf(id)).toMatchObject({ status: 'SENT', attempts: 1, sealed: null });
});

it('tries again later and later, and says what is wrong until it is right', async () => {
  const id = await enqueue();
  refuseWith = 451;
  expect(await deliverNext(delivery(START_MS))).toBe('RETRY');
  expect(await rowOf(id)).toMatchObject({
    status: 'PENDING',
    attempts: 1,
    last_error: expect.stringContaining('451') as unknown,
  });
  const later = START_MS + retryAfterMs(1);
  expect(await deliverNext(delivery(later - 1))).toBeUndefined();
  refuseWith = 0;
  expect(await deliverNext(delivery(later))).toBe('SENT');
});

it('gives up on an address that is refused for good', async () => {
  const id = await enqueue();
  refuseWith = 550;
  expect(await deliverNext(delivery(START_MS))).toBe('FAILED');
  expect(await rowOf(id)).toMatchObject({ status: 'FAILED', sealed: null });
});

it('gives up after eight attempts, and when the link has ended', async () => {
  const tried = await enqueue('tried@example.com', 365 * 86_400_000);
  const away: SendMail = () => Promise.reject(Object.assign(new Error(), { code: 'ECONNECTION' }));
  const outcomes: unknown[] = [];
  let nowMs = START_MS;
  for (let n = 1; n <= 9; n += 1) {
    outcomes.push(await deliverNext(delivery(nowMs, away)));
    nowMs += retryAfterMs(n);
  }
  expect(outcomes).toEqual([...Array<string>(7).fill('RETRY'), 'FAILED', undefined]);
  expect(await rowOf(tried)).toMatchObject({ status: 'FAILED', last_error: 'ECONNECTION' });
  const late = await enqueue('late@example.com', 1000);
  expect(await deliverNext(delivery(START_MS + 1001))).toBe('FAILED');
  expect((await rowOf(late))['last_error']).toContain('link expired');
  expect(received).toEqual([]);
});

it('is taken by one catalog at a time, and by another when that one is gone', async () => {
  await enqueue();
  let arrived = (): void => {};
  const begun = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  let finish = (): void => {};
  const slow: SendMail = () => {
    arrived();
    return new Promise((resolve) => {
      finish = resolve;
    });
  };
  const first = deliverNext(delivery(START_MS, slow));
  await begun;
  expect(await deliverNext(delivery(START_MS + 60_000))).toBeUndefined();
  expect(await deliverNext(delivery(START_MS + 91_000))).toBe('SENT');
  finish();
  await first;
});

it('keeps link and password out of the table, the errors and the log', async () => {
  const id = await enqueue();
  const wrong = createSmtp({
    url: url.replace('p%40ss%20word', 'a-wrong-password'),
    from: 'tollgate@example.com',
  });
  const before = JSON.stringify((await database.pool.query('SELECT * FROM mail_outbox')).rows);
  expect(await deliverNext(delivery(START_MS, wrong))).toBe('RETRY');
  const text = [before, JSON.stringify(await rowOf(id)), ...logs].join('\n');
  expect(text).toContain('EAUTH');
  expect(text).not.toMatch(/the-secret-of-the-link|a-wrong-password/);
});

it('is sent by the catalog itself for what was asked over REST', async () => {
  const catalog = await startTestCatalog(database.url, {
    SMTP_URL: url,
    MAIL_FROM: 'Tollgate <tollgate@example.com>',
    PUBLIC_CONSOLE_URL: 'https://gateway.example.com/',
    BOOTSTRAP_ADMIN_EMAIL: 'root@example.com',
    BOOTSTRAP_ADMIN_PASSWORD: 'correct horse battery',
  });
  const response = await fetch(`${catalog.url}/api/auth/password-reset`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'root@example.com' }),
  });
  expect(response.status).toBe(204);
  await until(() => received.length === 1);
  expect(received[0]?.to).toEqual(['root@example.com']);
  expect(received[0]?.message.replaceAll('=\r\n', '')).toContain(
    'https://gateway.example.com/reset-password#token=3D',
  );
  await catalog.stop();
  expect(catalog.logs.join()).not.toContain('p%40ss');
});

it('a mail server without a sender is refused at start', async () => {
  await expect(startTestCatalog(database.url, { SMTP_URL: url })).rejects.toThrow('MAIL_FROM');
});
