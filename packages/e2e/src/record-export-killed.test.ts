import {
  startStorage,
  startWebhookReceiver,
  type Line,
  type StorageServer,
  type WebhookReceiver,
} from '@tollgate/simulator';
import { Client } from 'pg';

import {
  chat,
  checkBooks,
  eventually,
  expectStatus,
  newTenant,
  recordOf,
  requestIdOf,
  startGateway,
  type Gateway,
  type Tenant,
} from '.';
import { idsOf, keyOf, STORAGE_KEY, sumOf } from './exported-lines';

// The catalog is killed while it delivers records, at each target before and after the receiver has
// taken the batch.

const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const RECORDS = ['USAGE', 'ADJUSTMENT'];

type Target = 'webhook' | 'storage';
/** Where the next delivery kills the catalog. LOST: the receiver stores the batch, but its answer is lost. */
interface Trap {
  readonly target: Target;
  readonly how: 'CUT' | 'LOST';
  readonly sprung: () => void;
}

let gateway: Gateway;
let receiver: WebhookReceiver;
let storage: StorageServer;
let trap: Trap | undefined;
const stops: (() => Promise<unknown>)[] = [];

/** Kills the catalog if a trap is set for this target. The process never reads the answer. */
function spring(target: Target): 'CUT' | 'LOST' | undefined {
  if (trap?.target !== target) return undefined;
  const { how, sprung } = trap;
  trap = undefined;
  gateway.catalog.process().signal('SIGKILL');
  sprung();
  return how;
}

beforeAll(async () => {
  const secret = () => SECRET;
  receiver = await startWebhookReceiver({ secret, fault: () => spring('webhook') });
  stops.push(() => receiver.stop());
  storage = await startStorage({
    key: STORAGE_KEY,
    bucket: 'books',
    fault: () => spring('storage'),
  });
  stops.push(() => storage.stop());
  gateway = await startGateway();
  stops.push(gateway.stop);
});
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
});

/** Returns the path of the webhook. */
async function createDestinations(tenant: Tenant): Promise<string> {
  const { id } = await tenant.create('export-destinations', {
    name: 'webhook',
    target: { type: 'WEBHOOK', url: receiver.url },
    secret: SECRET,
    records: RECORDS,
    maxRows: 3,
    intervalSeconds: 1,
  });
  await tenant.create('export-destinations', {
    name: 'storage',
    target: {
      type: 'S3',
      endpoint: storage.url,
      region: STORAGE_KEY.region,
      bucket: 'books',
      prefix: 'all',
      accessKeyId: STORAGE_KEY.accessKeyId,
    },
    secret: STORAGE_KEY.secretAccessKey,
    records: RECORDS,
    maxRows: 4,
    intervalSeconds: 1,
  });
  return `${tenant.base}/export-destinations/${id}`;
}

async function serve(key: string, requests: number): Promise<string[]> {
  const answers = await Promise.all(
    Array.from({ length: requests }, (_, at) =>
      chat(gateway.edgeUrl(), key, { max_tokens: 20 + at }),
    ),
  );
  return answers.map((answer) => requestIdOf(expectStatus(answer, 200)));
}

/** Ends the lease of the dead process now; it would last up to three minutes. */
async function endLeases(): Promise<void> {
  const database = new Client({ connectionString: gateway.databaseUrl });
  await database.connect();
  await database.query('UPDATE export_destination SET next_attempt_at = now()');
  await database.end();
}

/** The catalog dies in a delivery; requests go on meanwhile, and are booked when it is back. */
async function killIn(target: Target, how: Trap['how'], key: string): Promise<string[]> {
  const sprung = new Promise<void>((resolve) => {
    trap = { target, how, sprung: resolve };
  });
  const before = await serve(key, 6);
  await sprung;
  await gateway.catalog.process().stop('SIGKILL');
  const meanwhile = await serve(key, 3);
  await gateway.catalog.restart();
  await endLeases();
  return [...before, ...meanwhile];
}

const accepted = (): Line[] =>
  receiver.deliveries.flatMap((delivery) => (delivery.accepted ? delivery.lines : []));

async function bookedUsd(tenant: Tenant): Promise<string | undefined> {
  const { data } = await gateway.rest.get<{ data: { costUsd: string }[] }>(
    `${tenant.base}/usage/rollups?bucket=total`,
  );
  return data.data[0]?.costUsd;
}

test('a catalog that is killed in a delivery loses no record, and a repeated delivery keeps its id', async () => {
  const tenant = await newTenant(gateway);
  const { key } = await tenant.key();
  await createDestinations(tenant);
  const ids: string[] = [];
  for (const target of ['webhook', 'storage'] as const) {
    for (const how of ['CUT', 'LOST'] as const) {
      ids.push(...(await killIn(target, how, key)));
      // The next kill then meets another batch.
      await eventually('all records at both', async () =>
        [accepted(), storage.lines()].every((lines) => {
          const arrived = new Set(idsOf(lines, 'USAGE'));
          return ids.every((id) => arrived.has(id));
        }),
      );
    }
  }
  for (const id of ids) await recordOf(gateway, tenant, id);
  const wanted = ids.toSorted();
  for (const lines of [accepted(), storage.lines()]) {
    expect(idsOf(lines, 'USAGE').toSorted()).toEqual(wanted);
    expect(sumOf(lines)).toBe(await bookedUsd(tenant));
  }

  // The batch that arrived before the catalog died came again, with its id, number and bytes.
  const batches = Map.groupBy(receiver.deliveries, ({ id }) => id);
  const repeated = [...batches.values()].filter((same) => same.length > 1);
  expect(repeated.length).toBeGreaterThanOrEqual(2);
  expect(repeated.some((same) => same.filter((one) => one.accepted).length > 1)).toBe(true);
  for (const same of repeated) {
    expect(new Set(same.map(({ number }) => number)).size).toBe(1);
    expect(new Set(same.map(({ body }) => body.toString('base64'))).size).toBe(1);
  }
  // Without those, no line comes twice, and no number is missing: the cursor has gone on.
  const first = [...batches.values()].flatMap((same) => same.find((one) => one.accepted) ?? []);
  const lines = first.flatMap((delivery) => delivery.lines).map(keyOf);
  expect(lines.toSorted()).toEqual([...new Set(lines)].toSorted());
  const numbers = first.map(({ number }) => number ?? 0).toSorted((a, b) => a - b);
  expect(numbers).toEqual(numbers.map((_, at) => at + 1));
  // An object is written again under its name, so the storage has each line once.
  const stored = storage.lines().map(keyOf);
  expect(stored.toSorted()).toEqual([...new Set(stored)].toSorted());
  expect(Math.max(...storage.writes.values())).toBeGreaterThan(1);
  expect(receiver.forged).toBe(0);
  expect(storage.refusals.filter((code) => code !== 'CUT')).toEqual([]);
  expect(await checkBooks(gateway)).toMatchObject({ ok: true });
}, 300_000);

test('a later correction of a record arrives as a line of its own, also after a kill', async () => {
  const tenant = await newTenant(gateway);
  const { key } = await tenant.key();
  const webhook = await createDestinations(tenant);
  const ids = await serve(key, 4);
  for (const id of ids) await recordOf(gateway, tenant, id);
  const ofTenant = (lines: readonly Line[]): Line[] =>
    lines.filter((line) => line['organisationId'] === tenant.id);
  const [corrected = '', ...others] = ids;
  const admin = `/api/admin/organisations/${tenant.id}/usage`;
  expectStatus(await gateway.rest.patch(webhook, { status: 'PAUSED' }), 200);
  expectStatus(
    await gateway.rest.post(`${admin}/records/${corrected}/corrections`, {
      costUsd: '0.0125',
      reason: 'priced too low',
    }),
    201,
  );
  const sprung = new Promise<void>((resolve) => {
    trap = { target: 'webhook', how: 'LOST', sprung: resolve };
  });
  // The answer may be lost with the process, but the change is made.
  await Promise.allSettled([sprung, gateway.rest.patch(webhook, { status: 'ACTIVE' })]);
  await gateway.catalog.process().stop('SIGKILL');
  await gateway.catalog.restart();
  await endLeases();
  const hour = 3_600_000;
  const rerate = expectStatus(
    await gateway.rest.post(`${admin}/rerates`, {
      modelId: tenant.modelId,
      from: new Date(Date.now() - hour).toISOString(),
      to: new Date().toISOString(),
      price: { steps: [{ fromInputTokens: 0, input: '5', cacheRead: '2.5', output: '20' }] },
      reason: 'the vendor charged twice as much',
    }),
    201,
  ).data as { id: string };
  await eventually('the period is re-rated', async () => {
    const { data } = await gateway.rest.get<{ status: string }>(`${admin}/rerates/${rerate.id}`);
    return data.status === 'DONE';
  });
  // The corrected record has an amount that no price gives, so it keeps it.
  const requests = (lines: readonly Line[]): string[] =>
    [
      ...new Set(
        ofTenant(lines).flatMap((line) =>
          line['recordType'] === 'ADJUSTMENT' ? [String(line['requestId'])] : [],
        ),
      ),
    ].toSorted();
  await eventually('all adjustments at both', async () =>
    [accepted(), storage.lines()].every((lines) => requests(lines).length === ids.length),
  );
  for (const lines of [accepted(), storage.lines()]) {
    expect(requests(lines)).toEqual([corrected, ...others].toSorted());
    expect(sumOf(ofTenant(lines))).toBe(await bookedUsd(tenant));
    // The record's own line stays what it was.
    const own = ofTenant(lines).filter((line) => line['recordType'] === 'USAGE');
    expect(new Map(own.map((line) => [line.id, JSON.stringify(line)])).size).toBe(
      new Set(own.map((line) => JSON.stringify(line))).size,
    );
  }
}, 300_000);
