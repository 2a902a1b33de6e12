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
  gateway = await startGateway({
    edges: 2,
    env: { policy: { LEASE_MS: '10000', LEASE_GRACE_MS: '0', SWEEP_INTERVAL_MS: '100' } },
  });
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

async function rowsOf({ id }: Tenant): Promise<{ id: string; row: string }[]> {
  const text = 'SELECT id, kept_body::text AS row FROM kept_body WHERE organisation_id = $1';
  return (await database.query<{ id: string; row: string }>(text, [id])).rows;
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
  const send = async ({ key }: { key: string }) => requestIdOf(await chat(gateway.edgeUrl(), key));
  const ofNobody = [await send(ordinary)];
  expectStatus(await admin.patch(`${tenant.base}/settings`, KEEPS), 200);
  await eventually('a body of the ordinary key', async () => {
    ofNobody.push(await send(out));
    await send(ordinary);
    return (await rowsOf(tenant)).length > 0;
  });
  ofNobody.push(await send(out));
  const last = await send(ordinary);
  // An edge sends bodies in their order, so those of earlier requests would be there too.
  await lookAt(admin, tenant, last);
  const ids = new Set((await rowsOf(tenant)).map(({ id }) => id));
  expect(ids).toContain(last);
  for (const id of ofNobody) expect(ids).not.toContain(id);

  const off = { keepRequestBodies: false, keepAnswerBodies: false };
  expectStatus(await admin.patch(`${tenant.base}/settings`, off), 200);
  const { data } = expectStatus(await admin.post(`${tenant.base}/kept-bodies/clear`), 200);
  expect(data).toEqual({ deleted: ids.size });
  expectStatus(await admin.post(`${pathOf(tenant, last)}/look`), 404);
  const total = expectStatus(await admin.get(`${tenant.base}/kept-bodies`), 200);
  expect(total.data).toMatchObject({ requests: 0, bytes: 0 });
});

test('a killed edge loses no request, leaves no half of a body, and keeps bodies again', async () => {
  const { admin, tenant } = await newHouse(KEEPS);
  const { key } = await tenant.key();
  const send = async () => {
    const answer = await chat(gateway.edgeUrl(1), key);
    expect(answer.status).toBe(200);
    return requestIdOf(answer);
  };
  await lookAt(admin, tenant, await send());
  // Nothing can be stored from here on, so bodies wait in the edge.
  gateway.catalog.process().signal('SIGSTOP');
  const sent = await Promise.all(Array.from({ length: 10 }, send));
  gateway.edges[1]?.process().signal('SIGKILL');
  await gateway.edges[1]?.process().ended;
  gateway.catalog.process().signal('SIGCONT');
  // What was not settled is booked when its lease ends.
  for (const id of sent) await recordOf(gateway, tenant, id);
  const { rows } = await database.query(
    `SELECT id FROM kept_body WHERE organisation_id = $1
      AND (secret_ciphertext IS NOT NULL) <> (request_kept OR answer_kept)`,
    [tenant.id],
  );
  expect(rows).toEqual([]);
  await gateway.edges[1]?.restart();
  const again = await send();
  const shown = await lookAt(admin, tenant, again);
  expect(shown.request).toContain('messages');
  const ids = (await rowsOf(tenant)).map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  await checkBooks(gateway);
});
