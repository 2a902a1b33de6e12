import { parseUsd, rest } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';
import fc from 'fast-check';

import {
  chargedOf,
  createTenant,
  startRest,
  type RestServer,
  type Tenant,
} from '../../rest/test-support';
import type { Database } from '../../schema';
import { appendNext, entryOf, startTestDatabases, type TestDatabases } from '../../test-support';

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let tenant: Tenant;
let params: { organisationId: string };
let made = 0;

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});
beforeEach(() => newTenant());

async function newTenant(): Promise<void> {
  tenant = await createTenant(server, `acme-${(made += 1)}`);
  params = { organisationId: tenant.organisationId };
}

/** Requests of a month by their tags and cost; returns their ids. */
async function book(
  month: string,
  ...requests: readonly (readonly [tags: string, nanoUsd: bigint])[]
): Promise<string[]> {
  const authorisedAtMs = Date.parse(`${month}-11T10:00:00Z`);
  const entries = requests.map(([tags, nanoUsd]) =>
    entryOf(chargedOf(tenant), {
      requestId: uuidv7(authorisedAtMs),
      authorisedAtMs,
      settle: { costNanoUsd: nanoUsd.toString(), tags },
    }),
  );
  await appendNext(database.pool, tenant, entries);
  return entries.map(({ requestId }) => requestId);
}

const at = (invoiceId: string) => ({ params: { ...params, invoiceId } });
const draft = (month: string) =>
  server.ok(server.root, rest.createInvoice, { params, body: { month } });
const bill = async (month: string) =>
  server.ok(server.root, rest.issueInvoice, at((await draft(month)).id));
const correct = (requestId: string, costUsd: string) =>
  server.ok(server.root, rest.correctUsageRecord, {
    params: { ...params, requestId },
    body: { costUsd, reason: 'billed twice' },
  });
const tagsOf = (id: string, key = 'project') =>
  server.ok(tenant.callers.ORG_ADMIN, rest.getInvoiceTags, { ...at(id), query: { key } });

const signed = (usd: string): bigint => parseUsd(usd, { allowNegative: true });
const added = ({ data, other, unattributed, untagged }: rest.InvoiceTags): bigint =>
  [...data, other, untagged, unattributed].reduce(
    (sum, { amountUsd }) => sum + signed(amountUsd),
    0n,
  );
const NOTHING = { requests: 0, amountUsd: '0.00' };

test('sums by value, the largest first, with what has no such tag', async () => {
  await book(
    '2026-03',
    ['project:blue', 1_234_567n],
    ['project:red, tier:gold', 4_000_000n],
    ['project:blue, tier:gold', 500_000n],
    ['tier:gold', 7n],
    ['', 3n],
  );
  const { id, totalUsd } = await draft('2026-03');
  expect(await tagsOf(id)).toEqual({
    key: 'project',
    data: [
      { value: 'red', requests: 1, amountUsd: '0.004' },
      { value: 'blue', requests: 2, amountUsd: '0.001734567' },
    ],
    valueCount: 2,
    other: NOTHING,
    untagged: { requests: 2, amountUsd: '0.00000001' },
    unattributed: NOTHING,
    totalUsd,
  });
  expect(await tagsOf(id, 'tier')).toMatchObject({
    data: [{ value: 'gold', requests: 3, amountUsd: '0.004500007' }],
  });
  expect(await tagsOf(id, 'unknown')).toMatchObject({ data: [], untagged: { requests: 5 } });
});

test('an issued invoice keeps its sums, and what is booked afterwards is on the next one', async () => {
  const [first = ''] = await book('2026-03', ['project:blue', 10_000_000n], ['', 1_000_000n]);
  const march = await bill('2026-03');
  const before = await tagsOf(march.id);
  await correct(first, '-0.004');
  await book('2026-03', ['project:red', 2_000_000n]);
  await book('2026-04', ['project:red', 5_000_000n]);
  expect(await tagsOf(march.id)).toEqual(before);
  const april = await bill('2026-04');
  expect(await tagsOf(april.id)).toMatchObject({
    data: [
      { value: 'red', requests: 2, amountUsd: '0.007' },
      { value: 'blue', requests: 0, amountUsd: '-0.004' },
    ],
    untagged: NOTHING,
    unattributed: NOTHING,
    totalUsd: '0.003',
  });
  await correct(first, '-0.001');
  expect((await tagsOf(april.id)).totalUsd).toBe('0.003');
  // The month after has only what no invoice before has billed.
  const may = await draft('2026-05');
  expect(await tagsOf(may.id)).toMatchObject({
    data: [{ value: 'blue', requests: 0, amountUsd: '-0.001' }],
    unattributed: NOTHING,
  });
});

test('a request without cost that is booked late is on the next invoice, so that counts add up', async () => {
  await book('2026-03', ['project:blue', 1_000_000n]);
  await bill('2026-03');
  await book('2026-03', ['project:red', 0n]);
  const { id } = await bill('2026-04');
  expect(await tagsOf(id)).toMatchObject({
    data: [{ value: 'red', requests: 1, amountUsd: '0.00' }],
    unattributed: NOTHING,
    totalUsd: '0.00',
  });
});

test('beyond the largest values the others are one sum', async () => {
  const most = rest.INVOICE_TAG_VALUES;
  const requests = Array.from(
    { length: most + 3 },
    (_, n) => [`project:p${String(n)}`, BigInt(1_000 - n)] as const,
  );
  await book('2026-03', ...requests);
  const { id } = await draft('2026-03');
  const found = await tagsOf(id);
  expect(found.data).toHaveLength(most);
  expect(found).toMatchObject({
    valueCount: most + 3,
    other: { requests: 3, amountUsd: '0.000002697' },
    unattributed: NOTHING,
  });
  expect(found.data[0]).toEqual({ value: 'p0', requests: 1, amountUsd: '0.000001' });
});

test('what records do not tell any more stays in the sum, as unattributed', async () => {
  const [gone = ''] = await book('2026-03', ['project:blue', 300n], ['project:red', 200n]);
  const { id, totalUsd } = await bill('2026-03');
  await database.pool.query('DELETE FROM usage_record WHERE id = $1', [gone]);
  expect(await tagsOf(id)).toMatchObject({
    data: [{ value: 'red' }],
    unattributed: { requests: 1, amountUsd: '0.0000003' },
    totalUsd,
  });
});

test('a key that no tag can have is refused with its field', async () => {
  const { id } = await draft('2026-03');
  const asked = { ...at(id), query: { key: 'Not a key' } };
  expect(await server.refused(tenant.callers.ORG_ADMIN, rest.getInvoiceTags, asked)).toMatchObject({
    status: 422,
    path: 'key',
  });
});

test('whatever is booked and corrected, drafted and issued, the sums are the total of the invoice', async () => {
  const step = fc.oneof(
    fc.record({
      month: fc.constantFrom('2026-01', '2026-02', '2026-03'),
      tags: fc.constantFrom('', 'project:a', 'project:b, tier:x', 'tier:x'),
      nanoUsd: fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 50_000_000n })),
    }),
    fc.record({ correct: fc.nat(20), by: fc.integer({ min: 1, max: 1_000 }) }),
    fc.constant('bill' as const),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 10 }), async (steps) => {
      await newTenant();
      const ids: string[] = [];
      const months = ['2026-01', '2026-02', '2026-03'];
      const issued: rest.InvoiceTags[] = [];
      const invoices: string[] = [];
      for (const one of steps) {
        if (one === 'bill') {
          const month = months.shift();
          if (month === undefined) continue;
          const { id } = await bill(month);
          invoices.push(id);
          issued.push(await tagsOf(id));
        } else if ('correct' in one) {
          const requestId = ids[one.correct % Math.max(1, ids.length)];
          if (requestId !== undefined) await correct(requestId, `0.00000${String(one.by)}`);
        } else {
          ids.push(...(await book(one.month, [one.tags, one.nanoUsd])));
        }
      }
      for (const [index, id] of invoices.entries()) {
        const { totalUsd } = await server.ok(server.root, rest.getInvoice, at(id));
        const found = await tagsOf(id);
        expect(found).toEqual(issued[index]);
        expect(added(found)).toBe(signed(totalUsd));
        expect(found.unattributed).toEqual(NOTHING);
      }
    }),
    { numRuns: 5 },
  );
}, 180_000);
