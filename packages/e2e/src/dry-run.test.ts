import axios, { type AxiosResponse } from 'axios';
import { Client } from 'pg';

import {
  chat,
  eventually,
  expectStatus,
  newTenant,
  startGateway,
  type Gateway,
  type Tenant,
} from '.';

// Dry runs through the whole gateway: the answer, and that nothing is left of it in the books.

const DRY = { 'x-tollgate-dry-run': 'true' };

let gateway: Gateway;
let tenant: Tenant;
let database: Client;
let own: { id: string; key: string };
beforeAll(async () => {
  gateway = await startGateway();
  tenant = await newTenant(gateway);
  own = await tenant.key({ name: 'tried' });
  await tenant.create('budgets', {
    scope: { type: 'API_KEY', id: own.id },
    period: 'MONTHLY',
    limitUsd: '0.001',
  });
  database = new Client({ connectionString: gateway.databaseUrl });
  await database.connect();
});
afterAll(async () => {
  await database?.end();
  await gateway?.stop();
});

const post = (
  path: string,
  body: object,
  headers: Record<string, string>,
): Promise<AxiosResponse> =>
  axios.post(gateway.edgeUrl() + path, body, { headers, validateStatus: () => true });

/** The number of rows of every table that a request could leave something in. */
async function rows(): Promise<Record<string, string>> {
  const { rows: tables } = await database.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'
      AND table_type = 'BASE TABLE' AND table_name NOT IN ('session', 'refresh_token', 'outbox')`,
  );
  const found: Record<string, string> = {};
  for (const { name } of tables) {
    const { rows: sums } = await database.query<{ n: string }>(
      `SELECT count(*)::text || ' ' || coalesce(md5(string_agg(t::text, ',' ORDER BY t::text)), '') AS n FROM "${name}" t`,
    );
    found[name] = sums[0]?.n ?? '';
  }
  return found;
}

test.each([
  ['/v1/llm/chat', { model: 'chat', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 20 }],
  [
    '/v1/chat/completions',
    { model: 'chat', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 20 },
  ],
  ['/v1/responses', { model: 'chat', input: 'Hi', max_output_tokens: 20 }],
])('%s: the dry run says what the request then gets', async (path, body) => {
  const key = { authorization: `Bearer ${own.key}` };
  const { data, status } = await post(path, body, { ...key, ...DRY });
  expect(status).toBe(200);
  expect(data).toMatchObject({
    decision: 'allow',
    candidates: [{ model: 'chat', provider: 'provider_a' }],
    limits: [{ kind: 'BUDGET', limit: '0.001' }],
  });
  const { headers } = expectStatus(await post(path, body, key), 200);
  expect(headers['x-tollgate-held-usd']).toBe((data as { hold: { usd: string } }).hold.usd);
});

test('routes of other formats say why they are refused, and a key that is none is 401', async () => {
  const key = { authorization: `Bearer ${own.key}` };
  const body = { model: 'chat', max_tokens: 20, messages: [{ role: 'user', content: 'Hi' }] };
  const messages = await post('/v1/messages', body, { ...key, ...DRY });
  expect([messages.status, messages.data]).toMatchObject([200, { object: 'tollgate.dry_run' }]);
  const generate = '/v1beta/models/chat:generateContent';
  const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }];
  const gemini = await post(generate, { contents }, { ...key, ...DRY });
  expect([gemini.status, gemini.data]).toMatchObject([200, { object: 'tollgate.dry_run' }]);
  expect(
    (await post('/v1/messages', body, { authorization: 'Bearer tg_nobody', ...DRY })).status,
  ).toBe(401);
});

async function decisions(): Promise<string[]> {
  const { rows: found } = await database.query<{ id: string }>(
    'SELECT request_id AS id FROM request_decision',
  );
  return found.map(({ id }) => id);
}

test('an allow and a refusal leave every table of the catalog as it was', async () => {
  // What the real requests of this file left is booked.
  const before = await eventually('the books are quiet', async () => {
    const { rows: booked } = await database.query(`SELECT 1 FROM usage_record`);
    if (booked.length < 3) return undefined;
    const first = await rows();
    const again = await rows();
    if (JSON.stringify(first) !== JSON.stringify(again)) return undefined;
    return first;
  });
  const decidedBefore = await decisions();
  for (const max_tokens of [20, 100_000]) {
    const { data } = expectStatus(await chat(gateway.edgeUrl(), own.key, { max_tokens }, DRY), 200);
    expect((data as { decision: string }).decision).toBe(max_tokens === 20 ? 'allow' : 'deny');
  }
  // A real refusal is listed, and it is the only one.
  const refused = await chat(gateway.edgeUrl(), own.key, { max_tokens: 100_000 });
  expectStatus(refused, 402);
  const refusals = `${tenant.base}/apikeys/${own.id}/refusals`;
  const listed = await eventually('the refusal is listed', async () => {
    const { data } = expectStatus(await gateway.rest.get(refusals), 200).data as {
      data: { count: number }[];
    };
    return data.length > 0 && data;
  });
  expect(listed.map(({ count }) => count)).toEqual([1]);
  // Decisions are reported in their order: one of a dry run would be there with it, or before.
  const kept = await eventually('its decision is kept', async () => {
    const added = (await decisions()).filter((id) => !decidedBefore.includes(id));
    return added.length > 0 && added;
  });
  expect(kept).toEqual([refused.headers['x-request-id']]);
  const after = await rows();
  const changed = Object.keys(after).filter((name) => after[name] !== before[name]);
  // Of the real refusal.
  expect(changed.filter((name) => !/refus|^request_decision/.test(name))).toEqual([]);
});

test('a ticket is for administrators, and makes no call', async () => {
  const path = `${tenant.base}/apikeys/${own.id}/dry-run-ticket`;
  const { ticket } = expectStatus(await gateway.rest.get(path), 200).data as { ticket: string };
  const headers = { 'x-tollgate-dry-run-ticket': ticket };
  const tried = await chat(gateway.edgeUrl(), undefined, {}, { ...headers, ...DRY });
  expect([tried.status, tried.data]).toMatchObject([200, { object: 'tollgate.dry_run' }]);
  expect((await chat(gateway.edgeUrl(), undefined, {}, headers)).status).toBe(401);
});
