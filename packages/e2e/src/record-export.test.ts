import {
  startStorage,
  startWebhookReceiver,
  type Line,
  type StorageServer,
  type WebhookReceiver,
} from '@tollgate/simulator';

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
import { idsOf, STORAGE_KEY, sumOf } from './exported-lines';
import { seeded } from './faults/random';

// Requests through the whole gateway, exported to a webhook and a storage that fail at random.

const SEED = Number(process.env['PROPERTY_SEED'] ?? Date.now() % 1_000_000);
const REQUESTS = 40;
const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const FAULTS = [500, 429, 'CUT', 'LOST'] as const;

let gateway: Gateway;
let receiver: WebhookReceiver;
let storage: StorageServer;
const stops: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const { next, pick } = seeded(SEED);
  const fault = () => (next() < 0.5 ? pick(FAULTS) : undefined);
  receiver = await startWebhookReceiver({ secret: () => SECRET, fault });
  stops.push(() => receiver.stop());
  storage = await startStorage({ key: STORAGE_KEY, bucket: 'books', fault });
  stops.push(() => storage.stop());
  gateway = await startGateway();
  stops.push(gateway.stop);
});
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
});

const RECORDS = ['USAGE', 'ADJUSTMENT'];
/** Both targets; a change of a destination lets it be tried at once. */
async function createDestinations(tenant: Tenant): Promise<() => Promise<void>> {
  const webhook = await tenant.create('export-destinations', {
    name: 'webhook',
    target: { type: 'WEBHOOK', url: receiver.url },
    secret: SECRET,
    records: RECORDS,
    maxRows: 7,
    intervalSeconds: 1,
  });
  const platform = expectStatus(
    await gateway.rest.post('/api/admin/export-destinations', {
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
      maxRows: 5,
      intervalSeconds: 1,
    }),
    201,
  ).data as { id: string };
  const paths = [
    `${tenant.base}/export-destinations/${webhook.id}`,
    `/api/admin/export-destinations/${platform.id}`,
  ];
  return async () => {
    for (const path of paths) expectStatus(await gateway.rest.patch(path, { name: 'again' }), 200);
  };
}

test(`every record arrives at both, and comes to what the books say (seed ${SEED})`, async () => {
  const tenant = await newTenant(gateway);
  const { key } = await tenant.key();
  const tryAtOnce = await createDestinations(tenant);

  const answers = await Promise.all(
    Array.from({ length: REQUESTS }, (_, at) =>
      chat(gateway.edgeUrl(), key, { max_tokens: 20 + at }),
    ),
  );
  const ids = answers.map((answer) => requestIdOf(expectStatus(answer, 200))).toSorted();
  for (const id of ids) await recordOf(gateway, tenant, id);
  const [corrected = ''] = ids;
  const correction = await gateway.rest.post(
    `/api/admin/organisations/${tenant.id}/usage/records/${corrected}/corrections`,
    { costUsd: '0.0125', reason: 'priced too low' },
  );
  expectStatus(correction, 201);

  const arrived = (lines: readonly Line[]): boolean =>
    idsOf(lines, 'USAGE').length === REQUESTS && idsOf(lines, 'ADJUSTMENT').length === 1;
  const accepted = (): Line[] =>
    receiver.deliveries.flatMap((delivery) => (delivery.accepted ? delivery.lines : []));
  await eventually(`all lines, with seed ${SEED}`, async () => {
    await tryAtOnce();
    return arrived(accepted()) && arrived(storage.lines());
  });

  const { data } = await gateway.rest.get<{ data: { costUsd: string }[] }>(
    `${tenant.base}/usage/rollups?bucket=total`,
  );
  const booked = data.data[0]?.costUsd;
  for (const lines of [accepted(), storage.lines()]) {
    expect(idsOf(lines, 'USAGE').toSorted()).toEqual(ids);
    expect(sumOf(lines)).toBe(booked);
  }
  // A repeated batch has the same bytes, and no batch was passed over.
  for (const same of Map.groupBy(receiver.deliveries, ({ id }) => id).values()) {
    expect(new Set(same.map(({ body }) => body.toString('base64'))).size).toBe(1);
  }
  const numbers = receiver.deliveries.flatMap(({ accepted: yes, number }) =>
    yes && number !== undefined ? [number] : [],
  );
  expect([...new Set(numbers)]).toEqual(
    Array.from({ length: new Set(numbers).size }, (_, at) => at + 1),
  );
  expect(receiver.forged).toBe(0);
  expect(await checkBooks(gateway)).toMatchObject({ ok: true });
});
