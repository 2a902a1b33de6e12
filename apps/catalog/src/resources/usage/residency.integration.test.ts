import { rest } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';

import { allowedRegionsOf } from '../../directory/allowed-regions';
import { resolveKeys } from '../../directory/resolve-keys';
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
import { verdictOf } from './residency';

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let tenant: Tenant;
let admin: Who;
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
beforeEach(async () => {
  tenant = await createTenant(server, `regions-${(made += 1)}`);
  admin = tenant.callers.ORG_ADMIN;
  params = { organisationId: tenant.organisationId };
});

const AT = Date.parse('2026-03-10T12:00:00Z');
const SPAN = { from: '2026-03-10T00:00:00Z', to: '2026-03-11T00:00:00Z' };

function entry(regions: string, values: EntryValues = {}) {
  return entryOf(chargedOf(tenant), {
    requestId: uuidv7(AT),
    authorisedAtMs: AT,
    settle: { costNanoUsd: '1000', regions },
    ...values,
  });
}

test.each([
  ['eu', false, 'INSIDE'],
  ['eu, eu-west-1', false, 'INSIDE'],
  ['none', false, 'NOT_SENT'],
  ['eu, us', false, 'OUTSIDE'],
  ['unknown, us', false, 'OUTSIDE'],
  ['eu, unknown', false, 'UNKNOWN'],
  [null, true, 'UNKNOWN'],
  [null, false, 'NOT_RECORDED'],
] as const)('%s (abandoned: %s) is %s', (regions, abandoned, verdict) => {
  expect(verdictOf(regions, abandoned, ['eu', 'eu-west-1'])).toBe(verdict);
});

test('a report counts by region, and names what is not inside', async () => {
  const outside = entry('eu, us', { authorisedAtMs: AT + 1_000 });
  const unknown = entry('unknown', { authorisedAtMs: AT + 2_000 });
  const before = entry('', { authorisedAtMs: AT + 3_000 });
  const elsewhen = entry('us', { authorisedAtMs: AT + 2 * 86_400_000 });
  await appendNext(database.pool, tenant, [
    entry('eu'),
    entry('eu'),
    entry('none'),
    outside,
    unknown,
    before,
    elsewhen,
  ]);
  const query = { ...SPAN, regions: 'eu,de' };
  const answer = await server.ok(admin, rest.getResidencyReport, { params, query });
  expect(answer).toMatchObject({
    from: '2026-03-10T00:00:00.000Z',
    to: '2026-03-11T00:00:00.000Z',
    regions: ['de', 'eu'],
    stayed: false,
    recordsFrom: null,
    totals: { INSIDE: 2, NOT_SENT: 1, OUTSIDE: 1, UNKNOWN: 1, NOT_RECORDED: 1 },
    records: [
      { id: outside.requestId, verdict: 'OUTSIDE', regions: 'eu, us' },
      { id: unknown.requestId, verdict: 'UNKNOWN', regions: 'unknown' },
      { id: before.requestId, verdict: 'NOT_RECORDED', regions: null },
    ],
    moreRecords: false,
  });
  expect(answer.counts[0]).toMatchObject({
    regions: 'eu',
    verdict: 'INSIDE',
    requests: 2,
    costUsd: '0.000002',
  });

  const wide = { ...SPAN, regions: 'eu,us' };
  const csv = await server.ok(admin, rest.exportResidencyReport, { params, query: wide });
  const lines = csv.trimEnd().split('\r\n');
  expect(lines[1]).toMatch(/^report,NOT_PROVED,"eu, us",6,,2026-03-10T00:00:00.000Z,/);
  expect(lines.filter((line) => line.startsWith('count,'))).toHaveLength(5);
  const named = lines.filter((line) => line.startsWith('record,'));
  expect(named.map((line) => line.split(',')[7])).toEqual([unknown.requestId, before.requestId]);
});

test('requests stayed when every one is inside, and no record of the period is removed', async () => {
  await appendNext(database.pool, tenant, [entry('eu'), entry('none')]);
  const query = { ...SPAN, regions: 'eu' };
  const ask = () => server.ok(admin, rest.getResidencyReport, { params, query });
  expect(await ask()).toMatchObject({ stayed: true, records: [] });
  await database.pool.query(
    'INSERT INTO usage_removed (organisation_id, records_from) VALUES ($1, $2)',
    [tenant.organisationId, '2026-03-10T06:00:00Z'],
  );
  expect(await ask()).toMatchObject({
    stayed: false,
    recordsFrom: '2026-03-10T06:00:00.000Z',
    records: [],
  });
});

test('without regions, the report is about those that the organisation allows', async () => {
  await appendNext(database.pool, tenant, [entry('eu')]);
  const ask = () => server.ok(admin, rest.getResidencyReport, { params, query: SPAN });
  expect(await ask()).toMatchObject({ regions: [], stayed: false, totals: { OUTSIDE: 1 } });
  await server.ok(admin, rest.updateSettings, { params, body: { allowedRegions: ['eu'] } });
  expect(await ask()).toMatchObject({ regions: ['eu'], stayed: true });
});

test('a report is about the records within reach, and about a team or key where asked', async () => {
  const organisationKey = {
    ...chargedOf(tenant),
    teamId: '',
    userId: '',
    apiKeyId: tenant.organisationKeyId,
  };
  const foreign = entryOf(organisationKey, {
    requestId: uuidv7(AT),
    authorisedAtMs: AT,
    settle: { regions: 'us' },
  });
  await appendNext(database.pool, tenant, [entry('eu'), foreign]);
  const query = { ...SPAN, regions: 'eu' };
  const totals = async (who: Who, more: object = {}) =>
    (await server.ok(who, rest.getResidencyReport, { params, query: { ...query, ...more } }))
      .totals;
  expect(await totals(admin)).toMatchObject({ INSIDE: 1, OUTSIDE: 1 });
  expect(await totals(tenant.callers.USER)).toMatchObject({ INSIDE: 1, OUTSIDE: 0 });
  expect(await totals(admin, { teamId: tenant.teamId })).toMatchObject({ INSIDE: 1, OUTSIDE: 0 });
  expect(await totals(admin, { apiKeyId: tenant.organisationKeyId })).toMatchObject({
    INSIDE: 0,
    OUTSIDE: 1,
  });
});

test.each(['', 'EU', 'eu,', 'unknown', Array.from({ length: 17 }, (_, n) => `r${n}`).join(',')])(
  'a report about "%s" is refused',
  async (regions) => {
    const refused = await server.refused(admin, rest.getResidencyReport, {
      params,
      query: { ...SPAN, regions },
    });
    expect(refused).toMatchObject({ status: 422, path: 'regions' });
  },
);

test('records are filtered, and usage is grouped, by region', async () => {
  const [both, unknown, before] = [entry('eu, us'), entry('unknown'), entry('')];
  const late = { mode: 'ABANDONED' };
  await appendNext(database.pool, tenant, [
    entry('eu', { settle: { costNanoUsd: '5000', regions: 'eu' } }),
    both,
    unknown,
    before,
    entry('', late),
  ]);
  const found = async (region: string) =>
    (
      await server.ok(admin, rest.listUsageRecords, { params, query: { ...SPAN, region } })
    ).data.map(({ regions }) => regions);
  expect(await found('us')).toEqual(['eu, us']);
  expect(new Set(await found('eu'))).toEqual(new Set(['eu', 'eu, us']));
  expect(await found('unknown')).toEqual(['unknown']);
  expect(await found('not-recorded')).toEqual([null, null]);

  const explore = (query: object) =>
    server.ok(admin, rest.exploreUsage, { params, query: { ...SPAN, ...query } });
  const grouped = await explore({ groupBy: 'region', bucket: 'day' });
  expect(grouped.groups.map(({ group, totals }) => [group.id, totals.requests])).toEqual(
    expect.arrayContaining([
      ['eu', 1],
      ['eu, us', 1],
      ['unknown', 1],
      ['not-recorded', 2],
    ]),
  );
  const sum = grouped.groups.reduce((all, { totals }) => all + totals.requests, 0);
  expect([sum, grouped.totals.requests]).toEqual([5, 5]);
  expect(grouped.series.map(({ start }) => start)).toEqual(
    Array.from({ length: 4 }, () => '2026-03-10T00:00:00.000Z'),
  );
  const inUs = await explore({ region: 'us', groupBy: 'model', bucket: 'hour', compare: 'true' });
  expect(inUs).toMatchObject({ totals: { requests: 1 }, groups: [{ totals: { requests: 1 } }] });
  const refused = await server.refused(admin, rest.exploreUsage, {
    params,
    query: { from: '2025-01-01T00:00:00Z', to: '2026-01-01T00:00:00Z', groupBy: 'region' },
  });
  expect(refused).toMatchObject({ status: 422, path: 'from' });
});

test('an attempt keeps its region', async () => {
  const attempt = { modelId: tenant.modelId, providerId: tenant.providerId, outcome: 'OK' };
  const attempts = [{ ...attempt, region: 'eu' }, attempt].map((one) => ({
    connectionVersion: 1,
    startedAtMs: AT,
    latencyMs: 1,
    firstTokenMs: 0,
    httpStatus: 200,
    usage: null,
    costNanoUsd: '0',
    upstreamRequestId: '',
    priceId: '',
    uncachedCostNanoUsd: '',
    serviceTier: '',
    hedge: false,
    upstreamModel: '',
    message: '',
    region: '',
    ...one,
  }));
  const one = entry('eu, unknown', { settle: { regions: 'eu, unknown', attempts } });
  await appendNext(database.pool, tenant, [one]);
  const record = await server.ok(admin, rest.getUsageRecord, {
    params: { ...params, requestId: one.requestId },
  });
  expect(record.regions).toBe('eu, unknown');
  expect(record.attempts.map(({ region }) => region)).toEqual(['eu', null]);
});

describe('allowed regions', () => {
  const resolved = async (knowsRegions = true) => {
    const { rows } = await database.pool.query<{ key_sha256: Buffer }>(
      'SELECT key_sha256 FROM api_key WHERE id = $1',
      [tenant.userKeyId],
    );
    const reply = await resolveKeys(
      database.pool,
      rows.map((row) => row.key_sha256),
      { knowsRegions },
    );
    const [key] = reply.keys;
    return { key, models: reply.organisations[0]?.models };
  };
  const outboxSeq = async (): Promise<bigint> =>
    (await database.pool.query<{ seq: bigint }>('SELECT max(seq) AS seq FROM outbox_event')).rows[0]
      ?.seq ?? 0n;

  test('of the organisation, team, key and model reach decisions, each with news', async () => {
    const { teamId, modelId, userKeyId: apiKeyId, providerId } = tenant;
    const changes = [
      () =>
        server.ok(admin, rest.updateSettings, { params, body: { allowedRegions: ['eu', 'us'] } }),
      () =>
        server.ok(admin, rest.updateTeam, {
          params: { ...params, teamId },
          body: { allowedRegions: ['eu'] },
        }),
      () =>
        server.ok(admin, rest.updateApiKey, {
          params: { ...params, apiKeyId },
          body: { allowedRegions: ['eu', 'de'] },
        }),
      () =>
        server.ok(admin, rest.updateModel, {
          params: { ...params, modelId },
          body: { allowedRegions: ['eu', 'fr'] },
        }),
      () =>
        server.ok(admin, rest.updateProvider, {
          params: { ...params, providerId },
          body: { region: 'eu' },
        }),
    ];
    for (const change of changes) {
      const seq = await outboxSeq();
      await change();
      expect(await outboxSeq()).toBeGreaterThan(seq);
    }
    const { key, models } = await resolved();
    expect(key?.context?.allowedRegions).toEqual([
      { scopeType: 'ORGANISATION', regions: ['eu', 'us'] },
      { scopeType: 'TEAM', regions: ['eu'] },
      { scopeType: 'API_KEY', regions: ['eu', 'de'] },
    ]);
    expect(models?.find((one) => one.modelId === modelId)).toMatchObject({
      region: 'eu',
      allowedRegions: ['eu', 'fr'],
    });
    const shown = await server.ok(admin, rest.getSettings, { params });
    expect(shown.allowedRegions).toEqual(['eu', 'us']);
  });

  test('a policy that does not know them gets no grant to use', async () => {
    expect((await resolved(false)).key?.grantedModelIds).toEqual([tenant.modelId]);
    const body = { allowedRegions: ['eu'] };
    await server.ok(admin, rest.updateTeam, { params: { ...params, teamId: tenant.teamId }, body });
    const { key } = await resolved(false);
    expect([key?.grantedModelIds, key?.modelGrants, key?.context?.mcpServerIds]).toEqual([
      [],
      [],
      [],
    ]);
    expect((await resolved()).key?.grantedModelIds).toEqual([tenant.modelId]);
    await server.ok(admin, rest.updateModel, {
      params: { ...params, modelId: tenant.modelId },
      body,
    });
    const names = (models: Awaited<ReturnType<typeof resolved>>['models']) =>
      models?.map(({ modelId }) => modelId);
    expect(names((await resolved(false)).models)).not.toContain(tenant.modelId);
    expect(names((await resolved()).models)).toContain(tenant.modelId);
  });

  test('a new region is that of the next connection, not of earlier ones', async () => {
    const { providerId } = tenant;
    const at = { ...params, providerId };
    const before = await server.ok(admin, rest.getProvider, { params: at });
    const change = (body: object) => server.ok(admin, rest.updateProvider, { params: at, body });
    const { connectionVersion } = await change({ region: 'eu' });
    expect(connectionVersion).toBe(before.connectionVersion + 1);
    const from = async () =>
      (await resolved()).models?.find((one) => one.providerId === providerId)?.regionFromVersion;
    expect(await from()).toBe(connectionVersion);
    await change({ region: 'eu', timeoutMs: 1_000 });
    expect(await from()).toBe(connectionVersion);
    await change({ region: null });
    expect(await from()).toBe(connectionVersion + 2);
  });

  test.each([['EU'], ['eu west'], ['unknown'], ['x'.repeat(33)]])(
    'a provider in "%s" is refused, by the field',
    async (region) => {
      const refused = await server.refused(admin, rest.updateProvider, {
        params: { ...params, providerId: tenant.providerId },
        body: { region },
      });
      expect(refused).toMatchObject({ status: 422, path: 'region' });
    },
  );

  test('an MCP server in another region begins a new connection', async () => {
    const at = { ...params, mcpServerId: tenant.mcpServerId };
    const before = await server.ok(admin, rest.getMcpServer, { params: at });
    const after = await server.ok(admin, rest.updateMcpServer, {
      params: at,
      body: { region: 'eu' },
    });
    expect(after.region).toBe('eu');
    expect(after.connectionVersion).toBe(before.connectionVersion + 1);
  });

  test('scopes without regions say nothing', () => {
    const none = { regions_of_organisation: [], regions_of_team: null, regions_of_key: [] };
    expect(allowedRegionsOf(none)).toEqual([]);
  });
});
