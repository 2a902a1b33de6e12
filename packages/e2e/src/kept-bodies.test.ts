import Anthropic from '@anthropic-ai/sdk';
import type { AxiosInstance } from 'axios';
import OpenAI from 'openai';
import { Client } from 'pg';

import {
  chat,
  checkBooks,
  eventually,
  expectStatus,
  newTenant,
  recordOf,
  requestIdOf,
  signedIn,
  startGateway,
  type Gateway,
  type Tenant,
} from '.';

// Bodies of requests, from the vendors' own SDKs to the database and to the administrator who looks. The simulator
// says what it was told, so a text of the request comes back in the answer.

const MAIL = 'ana@example.org';
const SECRET = 'sk-proj-9aB8cD7eF6gH5iJ4kL3mN2oP1qR0';
const TOLD = `mail ${MAIL} the key ${SECRET}`;
const PASSWORD = 'correct horse battery staple';
const KEEPS = { keepRequestBodies: true, keepAnswerBodies: true };

let gateway: Gateway;
let stop: () => Promise<void> = async () => undefined;
let database: Client;

beforeAll(async () => {
  gateway = await startGateway({ edges: 2 });
  stop = gateway.stop;
  database = new Client({ connectionString: gateway.databaseUrl });
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await stop();
});

/** A tenant, and its administrator's client of the management API. */
async function newHouse(settings: object): Promise<{ tenant: Tenant; admin: AxiosInstance }> {
  const tenant = await newTenant(gateway);
  const email = `boss@${tenant.slug}.example`;
  await tenant.create('users', { email, name: 'Boss', role: 'ORG_ADMIN', password: PASSWORD });
  const admin = await signedIn(gateway.catalogUrl, email, PASSWORD);
  expectStatus(await admin.patch(`${tenant.base}/settings`, settings), 200);
  return { tenant, admin };
}

const pathOf = ({ base }: Tenant, requestId: string) => `${base}/usage/records/${requestId}/bodies`;

async function rowsOf({ id }: Tenant): Promise<{ row: string }[]> {
  const text = 'SELECT kept_body::text AS row FROM kept_body WHERE organisation_id = $1';
  return (await database.query<{ row: string }>(text, [id])).rows;
}

interface Shown {
  readonly request: string;
  readonly answer: string;
}

async function lookAt(admin: AxiosInstance, tenant: Tenant, requestId: string): Promise<Shown> {
  await recordOf(gateway, tenant, requestId);
  await eventually('the bodies', async () => {
    const { data } = await admin.get<{ keptAt: string | null }>(pathOf(tenant, requestId));
    return data.keptAt !== null;
  });
  const { data } = expectStatus(await admin.post(`${pathOf(tenant, requestId)}/look`), 200);
  return data as Shown;
}

function expectMasked({ request, answer }: Shown): void {
  for (const body of [request, answer]) {
    expect(body).toContain('<EMAIL_1>');
    expect(body).toContain('<API_KEY_1>');
    expect(body).not.toContain(MAIL);
    expect(body).not.toContain(SECRET);
  }
}

test('a chat of the OpenAI SDK is kept, masked and encrypted, and each look is recorded', async () => {
  const { admin, tenant } = await newHouse(KEEPS);
  const { key } = await tenant.key();
  const client = new OpenAI({ baseURL: `${gateway.edgeUrl()}/v1`, apiKey: key });
  const { data, response } = await client.chat.completions
    .create({ model: 'chat', messages: [{ role: 'user', content: TOLD }] })
    .withResponse();
  expect(data.choices[0]?.message.content).toContain(SECRET);
  const requestId = response.headers.get('x-tollgate-request-id') ?? '';
  const shown = await lookAt(admin, tenant, requestId);
  expectMasked(shown);
  expect(JSON.parse(shown.answer)).toMatchObject({ object: 'chat.completion' });
  expect(shown.request).not.toContain(key);

  for (const { row } of await rowsOf(tenant)) {
    for (const plain of [MAIL, SECRET, 'EMAIL_1', 'messages']) {
      expect(row).not.toContain(plain);
      expect(row).not.toContain(Buffer.from(plain).toString('hex'));
    }
  }
  const trail = await admin.get<{ data: object[] }>(`${tenant.base}/audit-events`, {
    params: { action: 'usage.look_at_bodies' },
  });
  expect(trail.data.data).toMatchObject([{ target: { id: requestId } }]);
  // The operator of the platform is not let in.
  expectStatus(await gateway.rest.post(`${pathOf(tenant, requestId)}/look`), 403);
});

test('a stream of the Anthropic SDK is put together as its client got it', async () => {
  const { admin, tenant } = await newHouse(KEEPS);
  const { key } = await tenant.key();
  const client = new Anthropic({ baseURL: gateway.edgeUrl(), apiKey: key });
  const stream = client.messages.stream({
    model: 'chat',
    max_tokens: 500,
    messages: [{ role: 'user', content: TOLD }],
  });
  const { response } = await stream.withResponse();
  expect(JSON.stringify(await stream.finalMessage())).toContain(SECRET);
  const requestId = response.headers.get('x-tollgate-request-id') ?? '';
  const shown = await lookAt(admin, tenant, requestId);
  expectMasked(shown);
  expect(JSON.parse(shown.answer)).toMatchObject({ type: 'message', role: 'assistant' });
});

test('without the setting there is no row, nor for a key that is left out', async () => {
  const { admin, tenant } = await newHouse({ keptBodiesDays: 3 });
  const ordinary = await tenant.key();
  const out = await tenant.key({ name: 'left out', keepBodies: false });
  const before = requestIdOf(await chat(gateway.edgeUrl(), ordinary.key));
  await recordOf(gateway, tenant, before);
  expect(await rowsOf(tenant)).toEqual([]);
  expectStatus(await admin.patch(`${tenant.base}/settings`, KEEPS), 200);
  const kept = async (): Promise<boolean> => {
    await chat(gateway.edgeUrl(), out.key);
    await chat(gateway.edgeUrl(), ordinary.key);
    return (await rowsOf(tenant)).length > 0;
  };
  await eventually('a body of the ordinary key', kept);
  const { rows } = await database.query<{ api_key_id: string }>(
    `SELECT r.api_key_id FROM kept_body b JOIN usage_record r ON r.id = b.id
      WHERE b.organisation_id = $1`,
    [tenant.id],
  );
  expect(rows.map((row) => row.api_key_id)).not.toContain(out.id);
  expect(rows.length).toBeGreaterThan(0);
  const off = { keepRequestBodies: false, keepAnswerBodies: false };
  expectStatus(await admin.patch(`${tenant.base}/settings`, off), 200);
  const { data } = expectStatus(await admin.post(`${tenant.base}/kept-bodies/clear`), 200);
  expect(data).toMatchObject({ deleted: expect.any(Number) });
  expect(await rowsOf(tenant)).toEqual([]);
});

test('a killed edge loses the bodies in its queue, and no request', async () => {
  const { tenant } = await newHouse(KEEPS);
  const { key } = await tenant.key();
  await chat(gateway.edgeUrl(1), key);
  // Nothing can be stored from here on, so every body is in the queue of the edge.
  gateway.catalog.process().signal('SIGSTOP');
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => chat(gateway.edgeUrl(1), key)),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  gateway.edges[1]?.process().signal('SIGKILL');
  await gateway.edges[1]?.process().ended;
  gateway.catalog.process().signal('SIGCONT');
  for (const answer of answers) await recordOf(gateway, tenant, requestIdOf(answer));
  expect((await rowsOf(tenant)).length).toBeLessThanOrEqual(11);
  const { rows } = await database.query(
    `SELECT id FROM kept_body WHERE organisation_id = $1
      AND (secret_ciphertext IS NOT NULL) <> (request_kept OR answer_kept)`,
    [tenant.id],
  );
  expect(rows).toEqual([]);
  expect((await chat(gateway.edgeUrl(), key)).status).toBe(200);
  await checkBooks(gateway);
  await gateway.edges[1]?.restart();
});
