import OpenAI from 'openai';
import { Client } from 'pg';

import {
  billOf,
  checkBooks,
  eventually,
  newTenant,
  startGateway,
  type Gateway,
  type Tenant,
} from '.';

// Background responses through the vendor's own SDK: their cost is held while the upstream works,
// and booked as the upstream bills it, whoever fetches them.

let gateway: Gateway;
let database: Client;
let stop: () => Promise<void> = async () => undefined;

beforeAll(async () => {
  gateway = await startGateway({
    edges: 2,
    env: {
      policy: { LEASE_MS: '15000', LEASE_GRACE_MS: '0', SWEEP_INTERVAL_MS: '100' },
      edge: { BACKGROUND_POLL_MS: '50' },
    },
  });
  stop = gateway.stop;
  database = new Client({ connectionString: gateway.databaseUrl });
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await stop();
});

const OUTPUT = 100;
/** The maximum cost of one request in these tests, at its output price, in nano-USD. */
const HELD = BigInt(OUTPUT) * 10_000n;
const ask = { model: 'chat', input: 'Hello', max_output_tokens: OUTPUT, background: true } as const;

const clientOf = (key: string, edge = 0): OpenAI =>
  new OpenAI({ baseURL: `${gateway.edgeUrl(edge)}/v1`, apiKey: key, maxRetries: 0 });

/** The total cost of the tenant's responses, corrections included, and their number. */
async function booked(tenant: Tenant): Promise<{ records: number; modes: string[]; nano: bigint }> {
  const { rows } = await database.query<{ mode: string; cost: string }>(
    `select r.mode, r.cost_nano_usd + coalesce((select sum(a.cost_nano_usd) from usage_adjustment a
              where a.request_id = r.id), 0) as cost
       from usage_record r where r.organisation_id = $1 and r.operation = 'responses'`,
    [tenant.id],
  );
  const nano = rows.reduce((sum, { cost }) => sum + BigInt(cost), 0n);
  return { records: rows.length, modes: rows.map(({ mode }) => mode), nano };
}

async function billed(tenant: Tenant): Promise<bigint> {
  return (await billOf(gateway, tenant)).reduce((sum, { nanoUsd }) => sum + nanoUsd, 0n);
}

/** Waits until the tenant has this many records, and checks them against the upstream's bill. */
async function expectBooked(tenant: Tenant, records: number): Promise<void> {
  await eventually('the books to say what the upstream bills', async () => {
    const found = await booked(tenant);
    return found.records === records && found.nano === (await billed(tenant));
  });
}

async function expectBooksAgree(): Promise<void> {
  const { countersCompared, ...found } = await checkBooks(gateway);
  expect(found).toEqual({ ok: true, breaches: [] });
  expect(countersCompared).toBeGreaterThanOrEqual(0);
}

test('concurrent responses never spend more than the budget, and are booked without a client', async () => {
  const tenant = await newTenant(gateway, {
    upstreamModel: `sim-tokens-${String(OUTPUT)}.steps-3`,
  });
  const afforded = 10;
  const limitNano = HELD * BigInt(afforded) + HELD / 2n;
  await tenant.create('budgets', {
    scope: { type: 'ORGANISATION', id: tenant.id },
    period: 'MONTHLY',
    limitUsd: (Number(limitNano) / 1e9).toFixed(9),
    mode: 'HARD',
  });
  const { key } = await tenant.key();
  const made = await Promise.allSettled(
    Array.from({ length: 60 }, (_, n) => clientOf(key, n % 2).responses.create(ask)),
  );
  const queued = made.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const refused = made.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  expect(queued.length).toBeGreaterThan(0);
  expect(queued.length).toBeLessThanOrEqual(afforded);
  expect(queued.map(({ status }) => status)).toEqual(queued.map(() => 'queued'));
  for (const error of refused) expect(error).toMatchObject({ status: 402 });
  await expectBooked(tenant, queued.length);
  const { modes, nano } = await booked(tenant);
  expect(modes).toEqual(modes.map(() => 'SETTLED'));
  expect(nano).toBeGreaterThanOrEqual(HELD * BigInt(queued.length));
  expect(nano).toBeLessThanOrEqual(limitNano);
  await expectBooksAgree();
});

test('a response is polled, cancelled and streamed again', async () => {
  const tenant = await newTenant(gateway, { upstreamModel: 'sim-tokens-100.steps-1000000' });
  const client = clientOf((await tenant.key()).key);
  const { id } = await client.responses.create(ask);
  expect((await client.responses.retrieve(id)).status).toBe('in_progress');
  expect((await client.responses.cancel(id)).status).toBe('cancelled');
  expect((await client.responses.retrieve(id)).status).toBe('cancelled');
  // The provider reports no usage for a cancelled response, so its input is charged.
  await eventually('a record of it', async () => (await booked(tenant)).records === 1);
  const { nano } = await booked(tenant);
  expect(nano).toBeGreaterThan(0n);
  expect(nano).toBeLessThan(HELD / 10n);

  const events: { type: string; sequence_number: number }[] = [];
  const stream = await client.responses.create({ ...ask, stream: true });
  let streamed = '';
  for await (const event of stream) {
    events.push(event);
    if (event.type === 'response.created') streamed = event.response.id;
  }
  const { sequence_number: after = 0 } = events[5] ?? {};
  const again = await client.responses.retrieve(streamed, { stream: true, starting_after: after });
  const rest: unknown[] = [];
  for await (const event of again) rest.push(event.sequence_number);
  expect(rest).toEqual(events.slice(6).map((event) => event.sequence_number));
});

test('what the vendor refuses is refused', async () => {
  const tenant = await newTenant(gateway);
  const client = clientOf((await tenant.key()).key);
  const error: unknown = await client.responses
    .create({ ...ask, store: false })
    .catch((caught: unknown) => caught);
  expect(error).toMatchObject({ status: 400, param: 'background' });
});

test('a killed edge leaves no unpaid response, and a poll at another edge corrects the charge', async () => {
  const tenant = await newTenant(gateway, { upstreamModel: 'sim-tokens-10.steps-20' });
  const { key } = await tenant.key();
  const { id } = await clientOf(key, 1).responses.create({ ...ask, model: 'chat' });
  gateway.edges[1]?.process().signal('SIGKILL');
  await gateway.edges[1]?.process().ended;
  await eventually('the charge of the hold', async () => (await booked(tenant)).records === 1);
  const abandoned = await booked(tenant);
  expect(abandoned.modes).toEqual(['ABANDONED']);
  expect(abandoned.nano).toBeGreaterThanOrEqual(HELD);

  const client = clientOf(key, 0);
  await eventually('the end of the response', async () => {
    const { status } = await client.responses.retrieve(id);
    return status === 'completed';
  });
  await expectBooked(tenant, 1);
  expect((await booked(tenant)).nano).toBeLessThan(abandoned.nano);
  await expectBooksAgree();
  await gateway.edges[1]?.restart();
});
