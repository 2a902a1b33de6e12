import { formatUsd, parseUsd, rest } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';
import { z } from 'zod';

import type { Database } from '../schema';
import {
  appendNext,
  entryOf,
  NOON_MS,
  startTestDatabases,
  type TestDatabases,
} from '../test-support';
import { countRowsOf } from './matching';
import {
  bookRecord,
  chargedOf,
  createTenant,
  objectIdsOf,
  startRest,
  type Params,
  type RestServer,
  type Tenant,
  type Who,
} from './test-support';

/** What lists count: the rows that the caller may see on all pages, and no others. */

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let acme: Tenant;
let params: Params;

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
  acme = await createTenant(server, 'acme');
  const rival = await createTenant(server, 'rival');
  params = await objectIdsOf(server, database, acme);
  await objectIdsOf(server, database, rival);
  for (const tenant of [acme, rival, rival]) await bookRecord(database.orm, tenant, Date.now());
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

const page = z.object({
  data: z.array(z.unknown()),
  nextCursor: z.string().nullable(),
  matching: rest.matching,
});
const lists = rest.ENDPOINTS.filter(
  ({ query }) => query instanceof z.ZodObject && 'total' in query.shape,
);

/** Those with more than one page: the others know their count without counting. */
const counted = new Set<string>();

/** All rows, by pages of one. */
async function walk(who: Who, endpoint: rest.Endpoint): Promise<number> {
  let rows = 0;
  for (let cursor: string | null | undefined; cursor !== null;) {
    const query = { limit: '1', ...(cursor === undefined ? {} : { cursor }) };
    const read = page.parse(await server.ok(who, endpoint, { params, query }));
    rows += read.data.length;
    cursor = read.nextCursor;
  }
  return rows;
}

test('every list can count its rows', () => {
  expect(lists.length).toBeGreaterThan(40);
});

describe.each(lists.map((endpoint) => [endpoint.id, endpoint] as const))('%s', (_id, endpoint) => {
  test.each(['SUPER_ADMIN', 'ORG_ADMIN', 'MANAGER', 'USER'] as const)(
    'counts for %s what all pages have',
    async (role) => {
      const who = role === 'SUPER_ADMIN' ? server.root : acme.callers[role];
      const query = { limit: '1', total: 'true' };
      const first = await server.call(who, endpoint, { params, query });
      if (first.status === 403) return;
      expect(first.status).toBe(200);
      const { matching, nextCursor } = page.parse(first.body);
      expect(matching).toMatchObject({ count: await walk(who, endpoint), more: false });
      if (nextCursor === null) return;
      counted.add(endpoint.id);
      const second = await server.ok(who, endpoint, {
        params,
        query: { ...query, cursor: nextCursor },
      });
      expect(page.parse(second).matching).toMatchObject({ count: matching?.count, more: false });
      const plain = await server.ok(who, endpoint, { params });
      expect(page.parse(plain).matching).toBeUndefined();
    },
  );
});

test('of many lists there were several pages, so that they were counted', () => {
  expect(counted.size).toBeGreaterThan(15);
});

test('a filter narrows the count', async () => {
  const { organisationId } = acme;
  const { matching } = await server.ok(acme.callers.ORG_ADMIN, rest.listUsers, {
    params: { organisationId },
    query: { role: 'MANAGER', total: 'true' },
  });
  expect(matching).toEqual({ count: 1, more: false });
});

test('at most 10,000 rows are counted, and a slow count is given up', async () => {
  const { organisationId } = acme;
  await database.pool.query(
    `INSERT INTO audit_event (id, organisation_id, actor_kind, action, target_type, details)
     SELECT gen_random_uuid(), $1, 'SYSTEM', 'many', 'budget', '{}' FROM generate_series(1, 10100)`,
    [organisationId],
  );
  const list = await server.ok(acme.callers.ORG_ADMIN, rest.listAuditEvents, {
    params: { organisationId },
    query: { total: 'true' },
  });
  expect(list.matching).toEqual({ count: rest.COUNTED_ROWS, more: true });
  expect(await countRowsOf(database.orm.manager, 'SELECT pg_sleep(5)', [])).toBeNull();
});

describe('usage records', () => {
  const day = '2026-11-18T00:00:00Z';
  const list = (query: object, who: Who = acme.callers.ORG_ADMIN) =>
    server.ok(who, rest.listUsageRecords, {
      params: { organisationId: acme.organisationId },
      query: { limit: '2', total: 'true', ...query },
    });

  beforeAll(async () => {
    const charged = chargedOf(acme);
    const costs = [1_000n, 20_000n, 300_000n];
    const at = (n: number) => NOON_MS + n * 3_600_000;
    const entries = costs.map((cost, n) =>
      entryOf(charged, {
        requestId: uuidv7(at(n)),
        authorisedAtMs: at(n),
        closedAtMs: at(n) + 500,
        settle: { costNanoUsd: cost.toString(), session: `s${n}` },
      }),
    );
    await appendNext(database.pool, acme, entries);
  });

  test('say what all of them cost, as the records do', async () => {
    const { matching } = await list({ from: day, to: '2026-11-19T00:00:00Z' });
    expect(matching).toEqual({ count: 3, more: false, costUsd: formatUsd(321_000n) });
    const { data } = await list({ from: day, to: '2026-11-19T00:00:00Z', limit: '200' });
    const sum = data.reduce((all, { costUsd }) => all + parseUsd(costUsd), 0n);
    expect(formatUsd(sum)).toBe(matching?.costUsd);
  });

  test.each([
    ['hours', { from: '2026-11-18T13:00:00Z', to: '2026-11-18T14:00:00Z' }, 1, 20_000n],
    ['an owner', { from: day, to: '2026-11-19T00:00:00Z', teamId: '' }, 3, 321_000n],
    ['a part of an hour', { from: '2026-11-18T13:30:00Z' }, null, null],
    ['a filter without sums', { from: day, session: 's1' }, 1, null],
    ['no period', {}, null, null],
  ] as const)('with %s', async (_what, query, count, cost) => {
    const owner = 'teamId' in query ? { teamId: acme.teamId } : {};
    const { matching } = await list({ ...query, ...owner });
    if (count !== null) expect(matching?.count).toBe(count);
    expect(matching?.costUsd).toBe(cost === null ? null : formatUsd(cost));
  });

  test('are not summed where retention has removed some of the period', async () => {
    await database.pool.query(
      `INSERT INTO usage_removed (organisation_id, records_from) VALUES ($1, $2)`,
      [acme.organisationId, '2026-11-18T06:00:00Z'],
    );
    const { matching } = await list({ from: day, to: '2026-11-19T00:00:00Z' });
    expect(matching).toEqual({ count: 3, more: false, costUsd: null });
  });
});
