import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  alertDestinationContext,
  createAddressRules,
  parseKeyRing,
} from '@tollgate/contracts/node';
import { createLogger, uuidv7 } from '@tollgate/kit';
import { Webhook } from 'standardwebhooks';

import type { SendMail } from '../mail';
import type { Database } from '../schema';
import { rotateSecrets, sealedRowSecret } from '../secrets';
import {
  createBudget,
  createTenant,
  startTestDatabases,
  type Tenant,
  type TestDatabases,
} from '../test-support';
import { newWebhookSecret } from '../webhooks';
import { deliverNext, MAX_ATTEMPTS, retryAfterMs, takeNext, type DeliveryDeps } from './deliver';
import { evaluate } from './evaluate';
import { alertsOf, createMailDestination, createRule, setSpent } from './test-support';

interface Message {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const RING = parseKeyRing(`one:${Buffer.alloc(32, 1).toString('base64')}`);
const NEXT_RING = parseKeyRing(
  `two:${Buffer.alloc(32, 2).toString('base64')},one:${Buffer.alloc(32, 1).toString('base64')}`,
);
const LAST_RING = parseKeyRing(`two:${Buffer.alloc(32, 2).toString('base64')}`);

let databases: TestDatabases;
let database: Database & { url: string };
let tenant: Tenant;
let receiver: Server;
let url: string;
let received: Message[];
let status: number;
let logs: string[];
/** The real time, because the referee refuses messages that are five minutes old. */
let nowMs: number;

beforeAll(async () => {
  databases = await startTestDatabases();
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      received.push({ path: request.url ?? '', headers: request.headers, body });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => {
    receiver.listen(0, '127.0.0.1', resolve);
  });
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
});
beforeEach(async () => {
  database = await databases.fresh();
  tenant = await createTenant(database.orm);
  received = [];
  status = 204;
  logs = [];
  nowMs = Date.now();
});
afterAll(async () => {
  await new Promise((resolve) => {
    receiver.close(resolve);
  });
  await databases.stop();
});

function deps(changes: Partial<DeliveryDeps> = {}): DeliveryDeps {
  return {
    pool: database.pool,
    ring: RING,
    log: createLogger({ service: 'catalog', level: 'warn', write: (line) => logs.push(line) }),
    clock: { now: () => nowMs },
    addressRules: createAddressRules({ allowed: ['127.0.0.0/8'] }),
    consoleUrl: 'https://console.example.com',
    ...changes,
  };
}

/** A destination with a sealed secret; returns its id. */
async function destinationOf(kind: 'WEBHOOK' | 'SLACK', secret: string): Promise<string> {
  const id = uuidv7();
  const sealed = sealedRowSecret(RING, alertDestinationContext(id), secret);
  await database.pool.query(
    `INSERT INTO alert_destination (id, organisation_id, name, kind, url, secret_key_id,
       secret_nonce, secret_ciphertext, secret_tag) VALUES ($1, $2, 'hook', $3, $4, $5, $6, $7, $8)`,
    [
      id,
      tenant.organisationId,
      kind,
      kind === 'WEBHOOK' ? `${url}/hook` : null,
      sealed.secretKeyId,
      sealed.secretNonce,
      sealed.secretCiphertext,
      sealed.secretTag,
    ],
  );
  return id;
}

/** Raises an alert with a message to each destination; returns the alert's id. */
async function raiseTo(...destinations: string[]): Promise<string> {
  const { pool, orm } = database;
  const budget = await createBudget(orm, tenant, { limitNanoUsd: 100n, period: 'DAILY' });
  const rule = await createRule(
    pool,
    tenant,
    { kind: 'BUDGET_USED', thresholds: [80], scopeTypes: null, budgetId: budget },
    destinations,
  );
  const startsAt = new Date(nowMs);
  startsAt.setUTCHours(0, 0, 0, 0);
  const endsAt = new Date(startsAt.getTime() + 86_400_000).toISOString();
  await setSpent(pool, budget, { startsAt: startsAt.toISOString(), endsAt }, 90n);
  await evaluate({ pool, log: deps().log }, nowMs);
  const rows = await pool.query<{ id: string }>('SELECT id FROM alert WHERE rule_id = $1', [rule]);
  expect(await alertsOf(pool, rule)).toHaveLength(1);
  return rows.rows[0]?.id ?? '';
}

async function rowsOf() {
  const { rows } = await database.pool.query<{
    id: string;
    status: string;
    attempts: number;
    last_error: string | null;
  }>('SELECT id, status, attempts, last_error FROM alert_delivery ORDER BY created_at, id');
  return rows;
}

it('a webhook is signed, names the alert, and is delivered once', async () => {
  const secret = newWebhookSecret();
  const alert = await raiseTo(await destinationOf('WEBHOOK', secret));
  expect(await deliverNext(deps())).toBe('DELIVERED');
  expect(await deliverNext(deps())).toBeUndefined();
  expect(received).toHaveLength(1);
  const [{ path, headers, body }] = received as [Message];
  expect(path).toBe('/hook');
  expect(headers['webhook-id']).toBe(alert);
  expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
    type: 'alert.raised',
    url: `https://console.example.com/${tenant.slug}/alerts?alert=${alert}`,
    data: {
      id: alert,
      organisationId: tenant.organisationId,
      kind: 'BUDGET_USED',
      threshold: 80,
      value: '0.00000009',
      title: 'Daily budget of organisation Test is used to 90 %',
    },
  });
});

it('Slack gets a text, and nothing in a name becomes a link or a mention', async () => {
  await database.pool.query(`UPDATE organisation SET name = '<!channel> & <b>' WHERE id = $1`, [
    tenant.organisationId,
  ]);
  const alert = await raiseTo(await destinationOf('SLACK', `${url}/services/T0/B0/secret`));
  expect(await deliverNext(deps())).toBe('DELIVERED');
  const [{ path, headers, body }] = received as [Message];
  expect(path).toBe('/services/T0/B0/secret');
  expect(headers).not.toHaveProperty('webhook-signature');
  const { text, ...others } = JSON.parse(body) as { text: string };
  expect(others).toEqual({});
  expect(text).toContain('*Daily budget of organisation &lt;!channel&gt; &amp; &lt;b&gt; is used');
  expect(text).toContain(`<https://console.example.com/${tenant.slug}/alerts?alert=${alert}|Open`);
});

it('a letter says the same, under the id of the alert', async () => {
  const sent: Parameters<SendMail>[0][] = [];
  const sendMail: SendMail = (letter) => Promise.resolve(void sent.push(letter));
  const alert = await raiseTo(await createMailDestination(database.pool, tenant));
  expect(await deliverNext(deps({ sendMail }))).toBe('DELIVERED');
  expect(sent).toMatchObject([
    {
      id: alert,
      to: 'ops@example.com',
      subject: 'Daily budget of organisation Test is used to 90 %',
      text: expect.stringContaining(`/alerts?alert=${alert}`) as unknown,
    },
  ]);
});

it('without a mail server a letter is given up at once, and says so', async () => {
  await raiseTo(await createMailDestination(database.pool, tenant));
  expect(await deliverNext(deps())).toBe('FAILED');
  expect(await rowsOf()).toMatchObject([
    { status: 'FAILED', last_error: 'The installation has no mail server (SMTP_URL).' },
  ]);
  expect(logs.join()).toContain('message of an alert given up');
});

it('a catalog that dies while it sends leaves the message to another, with the same id', async () => {
  const alert = await raiseTo(await destinationOf('WEBHOOK', newWebhookSecret()));
  expect(await takeNext(deps())).toMatchObject({ alertId: alert });
  expect(await deliverNext(deps())).toBeUndefined();
  nowMs += 91_000;
  expect(await deliverNext(deps())).toBe('DELIVERED');
  // The first one did send, and died before it could store that: the receiver sees one id twice.
  await database.pool.query(`UPDATE alert_delivery SET status = 'PENDING'`);
  expect(await deliverNext(deps())).toBe('DELIVERED');
  expect(received.map(({ headers }) => headers['webhook-id'])).toEqual([alert, alert]);
});

it('a receiver that fails gets the message again later and later, and it is given up loudly', async () => {
  await raiseTo(await destinationOf('WEBHOOK', newWebhookSecret()));
  status = 500;
  const startMs = nowMs;
  const outcomes: unknown[] = [];
  for (let attempts = 1; attempts <= MAX_ATTEMPTS; attempts += 1) {
    outcomes.push(await deliverNext(deps()));
    nowMs += retryAfterMs(attempts) - 1;
    expect(await deliverNext(deps())).toBeUndefined();
    nowMs += 1;
  }
  expect(outcomes).toEqual([...Array<string>(MAX_ATTEMPTS - 1).fill('RETRY'), 'FAILED']);
  expect(nowMs - startMs).toBeGreaterThan(4 * 3_600_000);
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(await rowsOf()).toMatchObject([
    { status: 'FAILED', attempts: 12, last_error: 'The receiver answers with status 500.' },
  ]);
});

it('a receiver that is gone is given up at once; a message is given up after a day', async () => {
  await raiseTo(await destinationOf('WEBHOOK', newWebhookSecret()));
  status = 410;
  expect(await deliverNext(deps())).toBe('FAILED');
  await raiseTo(await destinationOf('WEBHOOK', newWebhookSecret()));
  nowMs += 24 * 3_600_000;
  expect(await deliverNext(deps())).toBe('FAILED');
  expect(received).toHaveLength(1);
  expect((await rowsOf()).map(({ last_error }) => last_error)).toContain(
    'It could not be delivered within a day.',
  );
});

it('one failure makes the other messages of its destination wait, and those of others not', async () => {
  const broken = await destinationOf('WEBHOOK', newWebhookSecret());
  await raiseTo(broken);
  await raiseTo(broken);
  status = 500;
  expect(await deliverNext(deps())).toBe('RETRY');
  expect(await deliverNext(deps())).toBeUndefined();
  status = 204;
  await raiseTo(await destinationOf('WEBHOOK', newWebhookSecret()));
  expect(await deliverNext(deps())).toBe('DELIVERED');
});

it('a private address is refused when the message is sent', async () => {
  await raiseTo(await destinationOf('WEBHOOK', newWebhookSecret()));
  const addressRules = createAddressRules({ allowed: [] });
  expect(await deliverNext(deps({ addressRules }))).toBe('RETRY');
  expect(received).toEqual([]);
  expect((await rowsOf())[0]?.last_error).toContain('UPSTREAM_ALLOWED_CIDRS');
});

it('a disabled destination, or a deleted one, gets nothing more', async () => {
  const disabled = await destinationOf('WEBHOOK', newWebhookSecret());
  const deleted = await destinationOf('WEBHOOK', newWebhookSecret());
  await raiseTo(disabled, deleted);
  await database.pool.query(`UPDATE alert_destination SET status = 'DISABLED' WHERE id = $1`, [
    disabled,
  ]);
  await database.pool.query('DELETE FROM alert_destination WHERE id = $1', [deleted]);
  expect([await deliverNext(deps()), await deliverNext(deps())]).toEqual(['FAILED', 'FAILED']);
  expect(received).toEqual([]);
  expect(new Set((await rowsOf()).map(({ last_error }) => last_error))).toEqual(
    new Set(['The destination is disabled.', 'The destination was deleted.']),
  );
});

it('a rotation of the encryption key keeps secrets, and the old key can go', async () => {
  const secret = newWebhookSecret();
  await raiseTo(await destinationOf('WEBHOOK', secret));
  const report = await rotateSecrets(database.pool, NEXT_RING);
  expect(report.stores.find(({ table }) => table === 'alert_destination')).toMatchObject({
    rotated: 1,
    remaining: {},
    unreadable: [],
  });
  expect(await deliverNext(deps())).toBe('RETRY');
  nowMs += retryAfterMs(1);
  expect(await deliverNext(deps({ ring: LAST_RING }))).toBe('DELIVERED');
  const [{ body, headers }] = received as [Message];
  expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toBeDefined();
});
