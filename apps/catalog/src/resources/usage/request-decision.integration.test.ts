import { rest } from '@tollgate/contracts';
import type { KeptDecision__Output } from '@tollgate/contracts/node';
import { createLogger, uuidv7 } from '@tollgate/kit';

import { keepDecisions } from '../../ledger/reports/kept-decisions';
import { createTenant, startRest, type RestServer, type Tenant } from '../../rest/test-support';
import { bookRecord } from '../../rest/test-support/usage';
import { startHousekeeping, type Database } from '../../schema';
import { startTestDatabases, type TestDatabases } from '../../test-support';

const DAY_MS = 86_400_000;
const PER_DAY = 3;

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let acme: Tenant;
let other: Tenant;

beforeAll(async () => {
  databases = await startTestDatabases();
});
afterAll(() => databases.stop());
beforeEach(async () => {
  database = await databases.fresh();
  server = await startRest(database);
  acme = await createTenant(server, 'acme');
  other = await createTenant(server, 'other');
});
afterEach(() => server.stop());

/** A refusal by a budget of $1, of which 0.9 are spent and 0.05 held; the request needs 0.06. */
function refusal(
  tenant: Tenant,
  changes: Partial<KeptDecision__Output> = {},
): KeptDecision__Output {
  const before = {
    limitId: tenant.budgetId,
    kind: 'BUDGET',
    metric: 'COST',
    scopeType: 'ORGANISATION',
    scopeId: tenant.organisationId,
    limit: '1000000000',
    settled: '900000000',
    held: '50000000',
    remaining: '50000000',
    resetsAtMs: 0,
    mode: 'HARD',
    period: 'DAILY',
    windowSeconds: 0,
    sharedId: 0,
  };
  const details = { limit: { id: tenant.budgetId }, need: { inputTokens: 1, outputTokens: 2 } };
  return {
    organisationId: tenant.organisationId,
    apiKeyId: tenant.userKeyId,
    requestId: uuidv7(),
    atMs: Date.now(),
    model: 'demo',
    operation: 'chat',
    decision: {
      denial: {
        code: 'budget_exceeded',
        message: 'The budget would be exceeded\0.',
        detailsJson: JSON.stringify(details),
        retryAfterMs: 0,
        subject: null,
        limits: [],
        limitId: '',
        reason: '',
        retirement: null,
      },
      checks: [
        { name: 'key', passed: true },
        { name: 'limits', passed: false },
      ],
      hold: {
        nanoUsd: '60000000',
        inputTokens: 1,
        audioInputTokens: 0,
        readTokens: 0,
        outputTokens: 2,
        choices: 1,
        units: {},
        clamped: false,
        outputSource: 'REQUEST',
      },
      limits: [{ before, requested: '60000000', exceeded: true, lent: '0', source: '' }],
      candidates: [],
      routing: null,
    },
    ...changes,
  };
}

const keep = (decisions: KeptDecision__Output[], nowMs = Date.now()) =>
  keepDecisions(database.pool, decisions, { perDay: PER_DAY, nowMs });

const look = (requestId: string, { callers, organisationId }: Tenant = acme) =>
  server.ok(callers.ORG_ADMIN, rest.getRequestDecision, { params: { organisationId, requestId } });

/** What is said of a request without a record. */
const absent = async (requestId: string, { callers, organisationId }: Tenant = acme) => {
  const params = { organisationId, requestId };
  const { body, status } = await server.call(callers.ORG_ADMIN, rest.getRequestDecision, {
    params,
  });
  return `${String(status)} ${rest.errorBody.parse(body).error.message}`;
};

const set = (body: object, { callers, organisationId }: Tenant = acme) =>
  server.ok(callers.ORG_ADMIN, rest.updateSettings, { params: { organisationId }, body });

async function clean(): Promise<void> {
  const log = createLogger({ service: 'catalog', level: 'error', write: () => {} });
  const clock = { now: () => Date.now() };
  const housekeeping = await startHousekeeping({ pool: database.pool, log, clock });
  await housekeeping.stop();
}

test('a refusal is found by its request id, with all that it was made of', async () => {
  const told = refusal(acme);
  expect(await keep([told, told])).toMatchObject({ stored: 1, fullOrganisationIds: [] });
  expect(await keep([told])).toMatchObject({ stored: 0 });
  expect(await look(told.requestId)).toEqual({
    requestId: told.requestId,
    state: 'KEPT',
    reason: null,
    keepDecisions: 'REFUSED',
    keepDecisionsDays: 7,
    decidedAt: new Date(told.atMs).toISOString(),
    apiKeyId: acme.userKeyId,
    model: 'demo',
    operation: 'chat',
    decision: expect.objectContaining({
      decision: 'deny',
      error: expect.objectContaining({
        code: 'budget_exceeded',
        status: 402,
        message: 'The budget would be exceeded.',
      }),
      checks: [
        { check: 'key', passed: true },
        { check: 'limits', passed: false },
      ],
      limits: [
        expect.objectContaining({
          limit: '1.00',
          before: { settled: '0.90', held: '0.05', remaining: '0.05' },
          requested: '0.06',
          after: { held: '0.11', remaining: '0.00' },
          exceeded: true,
          source: 'STORE',
        }),
      ],
    }),
  });
});

test('of a request that was decided from memory, what is held has the request in it', async () => {
  const told = refusal(acme);
  const [limit] = told.decision?.limits ?? [];
  if (limit === undefined) throw new Error('no limit');
  limit.source = 'MEMORY';
  await keep([told]);
  expect((await look(told.requestId)).decision?.limits).toMatchObject([
    { source: 'MEMORY', after: { held: '0.05', remaining: '0.05' } },
  ]);
});

test('an organisation has a most of a day, and others have theirs', async () => {
  const many = Array.from({ length: PER_DAY + 2 }, () => refusal(acme));
  const mine = refusal(other);
  expect(await keep([...many, mine])).toEqual({
    stored: PER_DAY + 1,
    fullOrganisationIds: [acme.organisationId],
    fullUntilMs: expect.any(Number),
    dayFull: 2,
    failed: 0,
  });
  expect(await absent(many.at(-1)?.requestId ?? '')).toMatch(/^404 .*On that day/);
  expect(await look(mine.requestId, other)).toMatchObject({ state: 'KEPT' });
  expect(await keep([refusal(acme)])).toMatchObject({ stored: 0 });
  expect(await keep([refusal(acme)], Date.now() + DAY_MS)).toMatchObject({ stored: 1 });
});

test('decisions that are there already leave the room of the day to others', async () => {
  const known = [refusal(acme), refusal(acme)];
  await keep(known);
  const fresh = refusal(acme);
  expect(await keep([...known, fresh, fresh])).toMatchObject({ stored: 1, dayFull: 0 });
  expect(await look(fresh.requestId)).toMatchObject({ state: 'KEPT' });
});

test('reports at the same moment keep no more of a day than one after the other', async () => {
  const reports = Array.from({ length: 4 }, () => [refusal(acme), refusal(other), refusal(acme)]);
  const replies = await Promise.all(reports.map((report) => keep(report)));
  const stored = replies.reduce((sum, reply) => sum + (reply.stored ?? 0), 0);
  const full = replies.reduce((sum, reply) => sum + (reply.dayFull ?? 0), 0);
  expect({ stored, full }).toEqual({ stored: 2 * PER_DAY, full: 12 - 2 * PER_DAY });
  const { rows } = await database.pool.query(
    `SELECT kept, dropped::integer, is_full, (SELECT count(*)::integer FROM request_decision r
       WHERE r.organisation_id = d.organisation_id) AS rows FROM request_decision_day d`,
  );
  // Of one organisation there were eight, of the other four.
  expect(rows).toHaveLength(2);
  expect(rows).toEqual(
    expect.arrayContaining([
      { kept: PER_DAY, dropped: 8 - PER_DAY, is_full: true, rows: PER_DAY },
      { kept: PER_DAY, dropped: 4 - PER_DAY, is_full: true, rows: PER_DAY },
    ]),
  );
});

test('of too many limits the tightest are kept, as many as fit', async () => {
  const told = refusal(acme);
  const [limit] = told.decision?.limits ?? [];
  if (!limit?.before || !told.decision) throw new Error('no limit');
  const { before } = limit;
  told.decision.limits = Array.from({ length: 100 }, (_, at) => ({
    ...limit,
    before: { ...before, scopeId: `${String(at)} ${'x'.repeat(400)}` },
  }));
  expect(await keep([told])).toMatchObject({ stored: 1, failed: 0 });
  const { decision } = await look(told.requestId);
  const kept = decision?.limits ?? [];
  expect(kept.length).toBeGreaterThan(20);
  expect(kept.length).toBeLessThan(100);
  expect(kept.map((one) => JSON.stringify(one)).findIndex((one) => !/"\d+ x{9}/.test(one))).toBe(
    -1,
  );
  expect(JSON.stringify(kept[0])).toContain('"0 xxx');
  expect(JSON.stringify(kept.at(-1))).toContain(`"${String(kept.length - 1)} xxx`);
});

test('what cannot be stored is counted, and the rest of the report is stored', async () => {
  const huge = refusal(acme);
  if (huge.decision?.denial) huge.decision.denial.message = 'x'.repeat(40_000);
  const unknown = refusal(acme);
  const [limit] = unknown.decision?.limits ?? [];
  if (limit?.before) limit.before.kind = 'OF_A_LATER_RELEASE';
  const nobody = refusal({ ...acme, organisationId: uuidv7() });
  expect(await keep([huge, unknown, nobody, refusal(acme)])).toMatchObject({ stored: 1 });
  const { rows } = await database.pool.query('SELECT kept, dropped FROM request_decision_day');
  expect(rows).toEqual([{ kept: 1, dropped: 2n }]);
});

test('nobody finds the decisions of another organisation, and only administrators look', async () => {
  const told = refusal(acme);
  await keep([told]);
  const stranger = await absent(told.requestId, other);
  expect(stranger).toMatch(/^404 The decision was not kept/);
  expect(await absent(uuidv7(), other)).toBe(stranger);
  const params = { organisationId: acme.organisationId, requestId: told.requestId };
  for (const who of [acme.callers.MANAGER, acme.callers.USER, other.callers.ORG_ADMIN]) {
    expect((await server.refused(who, rest.getRequestDecision, { params })).status).toBe(
      who === other.callers.ORG_ADMIN ? 404 : 403,
    );
  }
  expect(await server.ok(server.root, rest.getRequestDecision, { params })).toMatchObject({
    state: 'KEPT',
  });
});

test('an age, a setting and an allowed request are told apart', async () => {
  const told = refusal(acme, { atMs: Date.now() - 3 * DAY_MS });
  await keep([told]);
  expect(await look(told.requestId)).toMatchObject({ state: 'KEPT' });
  await set({ keepDecisionsDays: 2 });
  expect(await absent(told.requestId)).toBe(
    '404 The decision was removed. This organisation keeps decisions for 2 days, and the request is older.',
  );
  expect(await absent(uuidv7(Date.now() - 3 * DAY_MS))).toMatch(/^404 The decision was removed/);
  expect(await absent(uuidv7())).toMatch(/^404 The decision was not kept/);
  const past = await bookRecord(database.orm, acme, Date.now() - 3 * DAY_MS);
  expect(await look(past)).toMatchObject({ state: 'REMOVED', decision: null });
  const allowed = await bookRecord(database.orm, acme, Date.now());
  expect(await look(allowed)).toMatchObject({ state: 'NOT_KEPT', reason: 'ALLOWED' });
  await set({ keepDecisions: 'OFF' });
  expect(await keep([refusal(acme)])).toMatchObject({ stored: 0 });
  expect(await look(allowed)).toMatchObject({ state: 'NOT_KEPT', reason: 'OFF' });
});

test('housekeeping removes what is older than the organisation keeps', async () => {
  const [young, old, theirs] = [
    refusal(acme),
    refusal(acme, { atMs: Date.now() - 3 * DAY_MS }),
    refusal(other, { atMs: Date.now() - 3 * DAY_MS }),
  ];
  await keep([young, old, theirs]);
  await set({ keepDecisionsDays: 30, retentionDays: 2 });
  await clean();
  const { rows } = await database.pool.query<{ request_id: string }>(
    'SELECT request_id FROM request_decision',
  );
  expect(new Set(rows.map((row) => row.request_id))).toEqual(
    new Set([young.requestId, theirs.requestId]),
  );
  expect(await absent(old.requestId)).toMatch(/^404 The decision was not kept/);
});
