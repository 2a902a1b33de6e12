import { rest } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';

import {
  chargedOf,
  createTenant,
  startRest,
  type RestServer,
  type Tenant,
  type Who,
} from '../../rest/test-support';
import type { Database } from '../../schema';
import {
  appendNext,
  entryOf,
  startTestDatabases,
  type EntryValues,
  type TestDatabases,
} from '../../test-support';

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let tenant: Tenant;
let admin: Who;
let params: { organisationId: string };

const AT = Date.parse('2026-03-28T12:00:00Z');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Four days around the change to summer time in Berlin. */
const SPAN = { from: '2026-03-28T00:00:00Z', to: '2026-03-31T20:00:00Z' };

function entry(atMs: number, values: EntryValues = {}) {
  const charged = chargedOf(tenant);
  return entryOf(charged, {
    requestId: uuidv7(atMs),
    authorisedAtMs: atMs,
    timeZone: 'Europe/Berlin',
    ...values,
  });
}

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
  tenant = await createTenant(server, 'acme');
  admin = tenant.callers.ORG_ADMIN;
  params = { organisationId: tenant.organisationId };
  const body = { timeZone: 'Europe/Berlin' };
  await server.ok(admin, rest.updateSettings, { params, body });
  const organisationKey = {
    ...chargedOf(tenant),
    teamId: '',
    userId: '',
    apiKeyId: tenant.organisationKeyId,
  };
  const failed = { outcome: 'FAILED', httpStatus: 502, costNanoUsd: '0', latencyMs: 9_000 };
  await appendNext(database.pool, tenant, [
    entry(AT - 2 * DAY_MS, { settle: { costNanoUsd: '500' } }),
    entry(AT, { clientRequestId: '=cmd()', settle: { costNanoUsd: '2000', latencyMs: 100 } }),
    entry(AT + HOUR_MS, {
      operation: 'embeddings',
      settle: { costNanoUsd: '1000', latencyMs: 200 },
    }),
    // 01:30 and 03:30 local time; the hour between does not exist on this day.
    entry(Date.parse('2026-03-29T00:30:00Z'), { settle: failed }),
    entry(Date.parse('2026-03-29T01:30:00Z')),
    entryOf(organisationKey, {
      requestId: uuidv7(AT + 2 * DAY_MS),
      authorisedAtMs: AT + 2 * DAY_MS,
      timeZone: 'Europe/Berlin',
      settle: { costNanoUsd: '9000' },
    }),
  ]);
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

const explore = (who: Who, query: Record<string, unknown>) =>
  server.ok(who, rest.exploreUsage, { params, query: { ...SPAN, ...query } });

test('days begin by the clocks of the organisation, and add up to the totals', async () => {
  const answer = await explore(admin, { bucket: 'day' });
  expect(answer).toMatchObject({
    from: '2026-03-27T23:00:00.000Z',
    to: '2026-03-31T22:00:00.000Z',
    timeZone: 'Europe/Berlin',
    totals: { requests: 5, errors: 1, costUsd: '0.000013', latencyMs: null },
    previous: null,
    groups: [],
  });
  expect(answer.series.map(({ start, measures }) => [start, measures.requests])).toEqual([
    ['2026-03-27T23:00:00.000Z', 2],
    ['2026-03-28T23:00:00.000Z', 2],
    ['2026-03-29T22:00:00.000Z', 1],
  ]);
});

test('hours and months likewise', async () => {
  const hours = await explore(admin, { bucket: 'hour' });
  expect(hours.series.map(({ start }) => start).slice(2, 4)).toEqual([
    '2026-03-29T00:00:00.000Z',
    '2026-03-29T01:00:00.000Z',
  ]);
  const query = { bucket: 'month' as const, from: '2026-02-15T00:00:00Z' };
  const months = await explore(admin, query);
  expect(months.series).toMatchObject([
    { start: '2026-02-28T23:00:00.000Z', measures: { requests: 6 } },
  ]);
});

test.each([
  ['status', ['COMPLETED', 'FAILED']],
  ['operation', ['chat', 'embeddings']],
  ['team', [null, 'Research']],
  ['user', [null, 'USER']],
  ['apikey', ['org', 'user']],
  ['model', ['gpt-test']],
  ['provider', ['upstream']],
] as const)('by %s the largest come first, with their names', async (groupBy, names) => {
  const { groups, groupCount } = await explore(admin, { groupBy });
  expect(
    groups.map(
      ({ group }) => group.name ?? (groupBy === 'team' || groupBy === 'user' ? null : group.id),
    ),
  ).toEqual(names);
  expect(groupCount).toBe(names.length);
  expect(groups.reduce((sum, { totals }) => sum + totals.requests, 0)).toBe(5);
});

test('only the largest groups are listed, and their series with them', async () => {
  const { groups, groupCount, series } = await explore(admin, {
    groupBy: 'apikey',
    bucket: 'day',
    top: 1,
    orderBy: 'requests',
  });
  expect(groups).toMatchObject([{ group: { name: 'user' }, totals: { requests: 4 } }]);
  expect(groupCount).toBe(2);
  expect(new Set(series.map(({ group }) => group?.name))).toEqual(new Set(['user']));
});

test('the period before is as long, and told for each group', async () => {
  const answer = await explore(admin, { groupBy: 'model', compare: 'true' });
  expect(answer.previous).toMatchObject({
    from: '2026-03-23T23:00:00.000Z',
    to: '2026-03-27T23:00:00.000Z',
    totals: { requests: 1, costUsd: '0.0000005' },
  });
  expect(answer.groups).toMatchObject([{ previous: { requests: 1 } }]);
});

test('percentiles are those of the requests, to within a factor of √2', async () => {
  const { totals } = await explore(admin, { latency: 'true' });
  const { p50, p99, count } = totals.latencyMs ?? {};
  expect(count).toBe(5);
  expect(p50 ?? 0).toBeGreaterThan(480 / Math.SQRT2 - 1);
  expect(p50 ?? 0).toBeLessThan(480 * Math.SQRT2 + 1);
  expect(p99 ?? 0).toBeGreaterThan(9_000 / Math.SQRT2 - 1);
  expect(p99 ?? 0).toBeLessThan(9_000 * Math.SQRT2 + 1);
});

test('managers see their teams, users their own, others nothing', async () => {
  for (const who of [tenant.callers.MANAGER, tenant.callers.USER]) {
    for (const bucket of ['hour', 'day'] as const) {
      const { totals, series } = await explore(who, { bucket });
      expect(totals).toMatchObject({ requests: 4, costUsd: '0.000004' });
      expect(series.reduce((sum, { measures }) => sum + measures.requests, 0)).toBe(4);
    }
  }
});

test('across organisations, a super admin sees each', async () => {
  const query = { ...SPAN, groupBy: 'organisation' as const };
  const { groups } = await server.ok(server.root, rest.explorePlatformUsage, { query });
  expect(groups).toMatchObject([{ group: { id: tenant.organisationId, name: 'acme' } }]);
  const refused = await server.refused(server.root, rest.explorePlatformUsage, {
    query: { groupBy: 'apikey' },
  });
  expect(refused).toMatchObject({ status: 422, path: 'organisationId' });
});

test.each([
  [{ from: SPAN.to, to: SPAN.from }, 'from'],
  [{ from: '2026-01-01T00:00:00Z', bucket: 'hour' }, 'from'],
  [
    { bucket: 'hour', groupBy: 'status', userId: '00000000-0000-7000-8000-000000000000' },
    'groupBy',
  ],
] as const)('the question %j is refused', async (query, path) => {
  const sent = { params, query: { ...SPAN, ...query } };
  expect(await server.refused(admin, rest.exploreUsage, sent)).toMatchObject({ status: 422, path });
});

test('records are exported as CSV within reach, and harmless to spreadsheets', async () => {
  const csv = await server.ok(admin, rest.exportUsageRecords, { params, query: SPAN });
  const [head, ...lines] = csv.trim().split('\r\n');
  expect(head?.startsWith('id,authorisedAt,')).toBe(true);
  expect(lines).toHaveLength(5);
  expect(lines[0]).toContain(`,'=cmd(),`);
  const own = await server.ok(tenant.callers.USER, rest.exportUsageRecords, {
    params,
    query: SPAN,
  });
  expect(own.trim().split('\r\n')).toHaveLength(5);
  const query = { from: '2026-01-01T00:00:00Z', to: '2026-06-01T00:00:00Z' };
  const refused = await server.refused(admin, rest.exportUsageRecords, { params, query });
  expect(refused).toMatchObject({ status: 422, path: 'from' });
});

test('audit events are exported as CSV, with names', async () => {
  const csv = await server.ok(admin, rest.exportAuditEvents, { params });
  const [head = '', ...lines] = csv.trimEnd().split('\r\n');
  const at = head.split(',').indexOf('targetName');
  const cells = lines.find((line) => line.includes('organisation.update'))?.split(',') ?? [];
  const organisation = await server.ok(admin, rest.getOwnOrganisation, { params });
  expect(cells[at]).toBe(organisation.name);
  expect(head.split(',').slice(2, 6)).toEqual(['actorKind', 'actorId', 'actorName', 'actorEmail']);
});

test('settings are changed by their tag, and say since when records are kept', async () => {
  const read = await server.call(admin, rest.getSettings, { params });
  expect(read.body).toMatchObject({
    timeZone: 'Europe/Berlin',
    retentionDays: null,
    recordsFrom: null,
  });
  const tag = { 'if-match': read.headers.get('etag') ?? '' };
  const change = (headers: Record<string, string>) =>
    server.call(admin, rest.updateSettings, { params, headers, body: { retentionDays: 400 } });
  expect((await change(tag)).body).toMatchObject({ retentionDays: 400 });
  expect((await change(tag)).status).toBe(412);
});
