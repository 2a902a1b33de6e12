import OpenAI from 'openai';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { Client } from 'pg';
import { WebSocket } from 'ws';

import {
  billOf,
  checkBooks,
  eventually,
  newTenant,
  startGateway,
  type Gateway,
  type Tenant,
} from '.';

// Responses over a WebSocket against a real stack: the vendor's own SDK, and plain frames.

let gateway: Gateway;
let database: Client;
let stop: () => Promise<void> = async () => undefined;
beforeAll(async () => {
  gateway = await startGateway({
    edges: 2,
    env: { policy: { LEASE_MS: '20000', SWEEP_INTERVAL_MS: '200' } },
  });
  stop = gateway.stop;
  database = new Client({ connectionString: gateway.databaseUrl });
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await stop();
});

interface Frame {
  readonly type: string;
  readonly status?: number;
  readonly error?: { readonly code: string };
  readonly response?: {
    readonly id: string;
    readonly output: readonly { readonly type: string; readonly arguments?: string }[];
  };
}

interface Row {
  readonly mode: string;
  readonly outcome: string;
  readonly status: number;
  readonly cost: string;
  readonly route: string;
}

async function booked(tenant: Tenant): Promise<Row[]> {
  const { rows } = await database.query<Row>(
    `select mode, outcome, http_status status, cost_nano_usd cost, route
     from usage_record where organisation_id = $1`,
    [tenant.id],
  );
  return rows;
}

async function connect(key: string, edge = 0) {
  const url = `${gateway.edgeUrl(edge).replace('http', 'ws')}/v1/responses`;
  const ws = new WebSocket(url, { headers: { authorization: `Bearer ${key}` } });
  const frames: Frame[] = [];
  ws.on('message', (data: Buffer) => frames.push(JSON.parse(data.toString()) as Frame));
  await new Promise((resolve, reject) => {
    ws.once('open', resolve);
    ws.once('error', reject);
  });
  ws.on('error', () => undefined);
  const ask = async (body: object): Promise<Frame> => {
    const from = frames.length;
    ws.send(JSON.stringify({ type: 'response.create', model: 'chat', input: 'Hi', ...body }));
    return eventually('the end of a response', async () =>
      frames.slice(from).find(({ type }) => type === 'response.completed' || type === 'error'),
    );
  };
  return { ws, frames, ask };
}

test('the SDK: responses follow one another, with tools, and are booked as the bill says', async () => {
  const tenant = await newTenant(gateway);
  const { key } = await tenant.key();
  const client = new OpenAI({ baseURL: `${gateway.edgeUrl()}/v1`, apiKey: key });
  const ws = new ResponsesWS(client);
  const events: { type: string; response?: { id: string; output: { type: string }[] } }[] = [];
  ws.on('event', (event) => events.push(event as (typeof events)[number]));
  const ended = (n: number) =>
    eventually(`response ${String(n)}`, async () =>
      events.filter(({ type }) => type === 'response.completed').at(n - 1),
    );
  const input = [{ type: 'message' as const, role: 'user' as const, content: 'Say something' }];
  ws.send({ type: 'response.create', model: 'chat', input, store: false });
  const first = await ended(1);
  expect(first.response?.output[0]?.type).toBe('message');
  ws.send({
    type: 'response.create',
    model: 'chat',
    input,
    store: false,
    previous_response_id: first.response?.id ?? '',
    tool_choice: 'required',
    tools: [
      {
        type: 'function',
        name: 'weather',
        strict: false,
        parameters: { type: 'object', properties: { city: { type: 'string' } } },
      },
    ],
  });
  const second = await ended(2);
  expect(second.response?.output.map(({ type }) => type)).toContain('function_call');
  ws.close();
  const rows = await eventually('both records', async () => {
    const found = await booked(tenant);
    return found.length === 2 && found;
  });
  expect(rows).toEqual([
    expect.objectContaining({ outcome: 'COMPLETED', status: 200, route: '/v1/responses' }),
    expect.objectContaining({ outcome: 'COMPLETED', status: 200, route: '/v1/responses' }),
  ]);
  const bill = await billOf(gateway, tenant);
  const sum = (amounts: bigint[]): bigint => amounts.reduce((all, one) => all + one, 0n);
  expect(sum(rows.map(({ cost }) => BigInt(cost)))).toBe(sum(bill.map(({ nanoUsd }) => nanoUsd)));
});

test('a response that is not stored is unknown to another connection, in the words of the vendor', async () => {
  const tenant = await newTenant(gateway);
  const { key } = await tenant.key();
  const first = await connect(key);
  const { response } = await first.ask({ store: false });
  first.ws.terminate();
  const second = await connect(key);
  const asked = { store: false, previous_response_id: response?.id };
  expect(await second.ask(asked)).toMatchObject({
    status: 400,
    error: { code: 'previous_response_not_found' },
  });
  second.ws.terminate();
});

test('a budget that is used up refuses the next response; the connection goes on', async () => {
  const tenant = await newTenant(gateway);
  const { key } = await tenant.key();
  const { ws, ask } = await connect(key);
  expect((await ask({})).type).toBe('response.completed');
  const { id } = await tenant.create('budgets', {
    scope: { type: 'ORGANISATION', id: tenant.id },
    period: 'DAILY',
    limitUsd: '0.000001',
    mode: 'HARD',
  });
  const refused = await eventually('the refusal', async () => {
    const frame = await ask({});
    return frame.type === 'error' && frame;
  });
  expect(refused).toMatchObject({ status: 402, error: { code: 'budget_exceeded' } });
  expect([200, 204]).toContain((await gateway.rest.delete(`${tenant.base}/budgets/${id}`)).status);
  await eventually('served again', async () => (await ask({})).type === 'response.completed');
  ws.terminate();
});

test('a revoked key ends the connection at its next response', async () => {
  const tenant = await newTenant(gateway);
  const { id, key } = await tenant.key();
  const { ws, ask } = await connect(key);
  const closed = new Promise<number>((resolve) => ws.on('close', resolve));
  await ask({});
  const revoked = await gateway.rest.post(`${tenant.base}/apikeys/${id}/revoke`);
  expect(revoked.status).toBe(200);
  const refused = await eventually('the refusal', async () => {
    const frame = await ask({});
    return frame.type === 'error' && frame;
  });
  expect(refused).toMatchObject({ status: 401, error: { code: 'invalid_api_key' } });
  expect(await closed).toBe(1008);
});

test('a client that leaves within a response is charged what was made', async () => {
  const tenant = await newTenant(gateway, { upstreamModel: 'sim-tokens-400.pace-20' });
  const { key } = await tenant.key();
  const { ws, frames } = await connect(key);
  ws.send(JSON.stringify({ type: 'response.create', model: 'chat', input: 'Hi' }));
  await eventually('output', async () => frames.length > 8);
  ws.terminate();
  const [row] = await eventually('the record', async () => {
    const found = await booked(tenant);
    return found.length === 1 && found;
  });
  expect(row).toMatchObject({ mode: 'SETTLED', outcome: 'CLIENT_CLOSED', status: 499 });
  expect(Number(row?.cost)).toBeGreaterThan(0);
});

test('an edge that is killed within a response: its hold is charged, and covers the bill', async () => {
  const tenant = await newTenant(gateway, { upstreamModel: 'sim-tokens-400.pace-20' });
  await tenant.create('budgets', {
    scope: { type: 'ORGANISATION', id: tenant.id },
    period: 'DAILY',
    limitUsd: '100',
    mode: 'HARD',
  });
  const { key } = await tenant.key();
  const { ws, frames } = await connect(key, 1);
  const closed = new Promise((resolve) => ws.on('close', resolve));
  ws.send(JSON.stringify({ type: 'response.create', model: 'chat', input: 'Hi' }));
  await eventually('output', async () => frames.length > 8);
  gateway.edges[1]?.process().signal('SIGKILL');
  await closed;
  const [row] = await eventually('the record', async () => {
    const found = await booked(tenant);
    return found.length === 1 && found;
  });
  expect(row?.mode).toBe('ABANDONED');
  const [line] = await billOf(gateway, tenant);
  expect(line?.nanoUsd).toBeGreaterThan(0n);
  expect(BigInt(row?.cost ?? 0)).toBeGreaterThanOrEqual(line?.nanoUsd ?? 0n);
  const { countersCompared, ...found } = await checkBooks(gateway);
  expect(found).toEqual({ ok: true, breaches: [] });
  expect(countersCompared).toBeGreaterThan(0);
});
