import { emptyUsage, rest } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';

import { firstIdAt, lastIdBefore } from '../../rest/record-ids';
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
import { COMPARISON } from './comparison';

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let tenant: Tenant;
let admin: Who;
let params: { organisationId: string };
let experimentId: string;
let asked: string;
let next: string;

const AT = Date.parse('2026-03-10T12:00:00Z');
const HOUR_MS = 3_600_000;
const SPAN = { from: '2026-03-09T00:00:00Z', to: '2026-03-12T00:00:00Z' };

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
  tenant = await createTenant(server, 'acme');
  admin = tenant.callers.ORG_ADMIN;
  params = { organisationId: tenant.organisationId };
  asked = await newModel('asked');
  next = await newModel('next');
  const made = await server.ok(admin, rest.createExperiment, {
    params,
    body: {
      name: 'trial',
      model: 'asked',
      arms: [
        { name: 'control', modelId: asked, share: 50 },
        { name: 'candidate', modelId: next, share: 50 },
      ],
    },
  });
  experimentId = made.id;
  const failed = { outcome: 'FAILED', httpStatus: 502, costNanoUsd: '0' };
  await appendNext(database.pool, tenant, [
    ...[100, 200, 300, 400].map((latencyMs, at) =>
      entry('control', asked, {
        costNanoUsd: '1000000',
        latencyMs,
        firstTokenMs: at === 3 ? 0 : latencyMs / 10,
        session: `s${String(at % 2)}`,
        usage: { ...emptyUsage(), input: 60, cacheRead: 20, output: 10 },
      }),
    ),
    entry('candidate', next, { costNanoUsd: '3000000', latencyMs: 1_000 }),
    entry('candidate', next, { ...failed, errorCode: 'upstream_error', latencyMs: 50 }),
    entry('candidate', next, { ...failed, errorCode: 'upstream_error', latencyMs: 60 }),
    entry('candidate', next, { ...failed, errorCode: 'upstream_timeout', latencyMs: 70 }),
    // After a failure the other model answered.
    entry('candidate', asked, { costNanoUsd: '1000000', latencyMs: 80 }),
    entry('candidate', next, { responseCache: 'HIT', costNanoUsd: '0', latencyMs: 1 }),
    entry('earlier', asked, { costNanoUsd: '5' }),
    // Before the span, of another experiment, and of none.
    entry('control', asked, { costNanoUsd: '9' }, -100),
    entry('control', asked, { costNanoUsd: '9', experimentId: uuidv7() }),
    entry('', asked, { costNanoUsd: '9', experimentId: '' }),
  ]);
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

async function newModel(name: string): Promise<string> {
  const body = { name, providerId: tenant.providerId };
  return (await server.ok(admin, rest.createModel, { params, body })).id;
}

let minutes = 0;
function entry(
  experimentArm: string,
  modelId: string,
  settle: NonNullable<EntryValues['settle']>,
  hours = 0,
) {
  minutes += 1;
  const plain = { experimentId, experimentArm, usage: emptyUsage(), firstTokenMs: 0 };
  const atMs = AT + hours * HOUR_MS + minutes * 60_000;
  return entryOf(
    { ...chargedOf(tenant), modelId },
    {
      requestId: uuidv7(atMs),
      authorisedAtMs: atMs,
      timeZone: 'UTC',
      settle: { ...plain, modelId, ...settle },
    },
  );
}

const at = () => ({ params: { ...params, experimentId } });

test('each arm has its requests, errors, latencies, tokens and cost', async () => {
  const compared = await server.ok(admin, rest.compareExperiment, { ...at(), query: SPAN });
  expect(compared).toMatchObject({ records: 11, truncated: false });
  const [control, candidate, earlier] = compared.arms;
  expect(control).toEqual({
    arm: 'control',
    modelId: asked,
    model: 'asked',
    share: 50,
    requests: 4,
    sessions: 2,
    errors: 0,
    errorCodes: [],
    otherModel: 0,
    cacheHits: 0,
    firstTokenMs: { p50: 20, p95: 30 },
    latencyMs: { p50: 200, p95: 400 },
    tokensIn: 320,
    tokensOut: 40,
    cachedInputShare: 0.25,
    costUsd: '0.004',
    costPerRequestUsd: '0.001',
  });
  expect(candidate).toMatchObject({
    arm: 'candidate',
    model: 'next',
    requests: 6,
    errors: 3,
    errorCodes: [
      { code: 'upstream_error', requests: 2 },
      { code: 'upstream_timeout', requests: 1 },
    ],
    otherModel: 1,
    // Of what was answered: neither instant errors nor kept answers.
    latencyMs: { p50: 80, p95: 1_000 },
    cacheHits: 1,
    firstTokenMs: { p50: null, p95: null },
    cachedInputShare: null,
    costUsd: '0.004',
    costPerRequestUsd: '0.000666666',
  });
  // An arm of before is still shown.
  expect(earlier).toMatchObject({ arm: 'earlier', modelId: null, share: null, requests: 1 });
});

test('an arm without requests has no figures', async () => {
  const query = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' };
  const compared = await server.ok(admin, rest.compareExperiment, { ...at(), query });
  expect(compared).toMatchObject({ records: 0, truncated: false });
  expect(compared.arms).toMatchObject([
    { arm: 'control', requests: 0, costUsd: '0.00', costPerRequestUsd: null },
    { arm: 'candidate', requests: 0, latencyMs: { p50: null, p95: null } },
  ]);
});

test.each([
  [{ from: '2026-03-12T00:00:00Z', to: '2026-03-12T00:00:00Z' }],
  [{ from: '2025-03-12T00:00:00Z', to: '2026-03-12T00:00:00Z' }],
])('the span %j is refused', async (query) => {
  const { status, body } = await server.call(admin, rest.compareExperiment, { ...at(), query });
  expect([status, body]).toMatchObject([422, { error: { details: [{ path: 'from' }] } }]);
});

test.each([
  [11, 11, false],
  [10, 10, true],
])('of 11 records, %i are read at most, and older ones are told', async (most, read, older) => {
  const [from, to] = [Date.parse(SPAN.from), Date.parse(SPAN.to)];
  const values = [params.organisationId, experimentId, new Date(from), new Date(to), most, '{}'];
  const { rows } = await database.pool.query<{ requests: string; older: boolean }>(COMPARISON, [
    ...values,
    null,
    firstIdAt(from),
    lastIdBefore(to),
  ]);
  expect(rows.reduce((sum, row) => sum + Number(row.requests), 0)).toBe(read);
  expect(rows.map((row) => row.older)).toEqual(rows.map(() => older));
});

test('the records are read by the index of experiments', async () => {
  const values = [params.organisationId, experimentId, new Date(0), new Date(), 1_000, '{}', null];
  values.push(firstIdAt(0), lastIdBefore(Date.now()));
  const client = await database.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SET LOCAL enable_seqscan = off');
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${COMPARISON}`, values);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/Index Scan [A-Za-z ]*using usage_record_\w*experiment_id/);
    expect(plan).not.toContain('Seq Scan');
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
});

test('lists, exports and the explorer tell arms apart', async () => {
  const query = { ...SPAN, experimentId, experimentArm: 'candidate' };
  const { data } = await server.ok(admin, rest.listUsageRecords, { params, query });
  expect(data).toHaveLength(6);
  expect(data[0]).toMatchObject({ experimentId, experimentArm: 'candidate' });
  const explore = async (groupBy: 'experiment' | 'experiment-arm', filter: object = {}) => {
    const asked = { ...SPAN, groupBy, ...filter };
    const { groups } = await server.ok(admin, rest.exploreUsage, { params, query: asked });
    return groups.map(({ group, totals }) => [group.id, group.name, totals.requests]);
  };
  expect(await explore('experiment-arm', { experimentId })).toEqual(
    expect.arrayContaining([
      ['control', null, 4],
      ['candidate', null, 6],
      ['earlier', null, 1],
    ]),
  );
  expect(await explore('experiment')).toContainEqual([experimentId, 'trial', 11]);
});
