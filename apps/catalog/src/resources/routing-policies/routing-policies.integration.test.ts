import { rest } from '@tollgate/contracts';
import { hashApiKey, type UpstreamChange__Output } from '@tollgate/contracts/node';
import { createLogger, createMetrics } from '@tollgate/kit';
import type { z } from 'zod';

import { resolveKey } from '../../directory/resolve-key';
import { createUpstreamGauges } from '../../ledger';
import { storeUpstreamStates } from '../../ledger/reports/upstream-states';
import {
  createTenant,
  startRest,
  type RestServer,
  type Tenant,
  type Who,
} from '../../rest/test-support';
import type { Database } from '../../schema';
import { startTestDatabases, type TestDatabases } from '../../test-support';

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let tenant: Tenant;
let admin: Who;
let params: { organisationId: string };
let second: string;

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
  tenant = await createTenant(server, 'acme');
  admin = tenant.callers.ORG_ADMIN;
  params = { organisationId: tenant.organisationId };
  const { providerId } = tenant;
  const body = { name: 'second', providerId, capabilities: ['tools' as const] };
  second = (await server.ok(admin, rest.createModel, { params, body })).id;
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

const UNKNOWN = '019aa000-0000-7000-8000-000000000000';
let made = 0;
const policyOf = (changes: Partial<z.input<typeof rest.routingPolicyCreate>> = {}) =>
  create({
    name: `policy-${(made += 1)}`,
    candidates: [{ modelId: tenant.modelId }, { modelId: second }],
    ...changes,
  });
const create = (body: z.input<typeof rest.routingPolicyCreate>) =>
  server.ok(admin, rest.createRoutingPolicy, { params, body });
const refused = (body: object) =>
  server.refused(admin, rest.createRoutingPolicy, { params, body: body as never });

describe('a policy', () => {
  test('has the defaults of the interface', async () => {
    expect(await policyOf()).toMatchObject({
      strategy: 'failover',
      candidates: [
        { modelId: tenant.modelId, priority: 1, weight: 1, timeouts: null },
        { modelId: second, priority: 2, weight: 1, timeouts: null },
      ],
      failoverTriggers: ['5xx', 'timeout'],
      totalTimeoutMs: null,
      retries: 0,
      hedgeAfterMs: null,
      status: 'ACTIVE',
    });
    expect((await policyOf({ strategy: 'next_candidate' })).strategy).toBe('failover');
  });

  test.each([
    ['strategy', { strategy: 'FASTEST' }],
    ['failoverTriggers[0]', { failoverTriggers: ['4xx'] }],
    ['failoverTriggers', { failoverTriggers: ['any', 'any'] }],
    ['candidates', { candidates: [] }],
    ['candidates[0].weight', { candidates: [{ modelId: UNKNOWN, weight: 0 }] }],
    ['candidates[0].modelId', { candidates: [{ modelId: UNKNOWN }] }],
    ['name', { name: 'with space' }],
    ['hedgeAfterMs', { hedgeAfterMs: 0 }],
  ])('is refused by its field %s', async (path, changes) => {
    const body = { name: 'x', candidates: [{ modelId: second }], ...changes };
    expect(await refused(body)).toMatchObject({ status: 422, path });
  });

  test('names each model once, of its own organisation only', async () => {
    const twice = [{ modelId: second }, { modelId: second }];
    expect(await refused({ name: 'x', candidates: twice })).toMatchObject({ path: 'candidates' });
    const other = await createTenant(server, 'other');
    const foreign = { name: 'x', candidates: [{ modelId: other.modelId }] };
    expect(await refused(foreign)).toMatchObject({ status: 422, path: 'candidates[0].modelId' });
  });

  test('has a name of its own, which is no model’s', async () => {
    const candidates = [{ modelId: second }];
    expect(await refused({ name: 'second', candidates })).toMatchObject({ status: 409 });
    const { name } = await policyOf();
    expect(await refused({ name, candidates })).toMatchObject({ status: 409, path: 'name' });
  });

  test('is changed by its tag, keeps a candidate that is gone, and leaves a trail', async () => {
    const { id, candidates } = await policyOf();
    const where = { ...params, routingPolicyId: id };
    const { headers } = await server.call(admin, rest.getRoutingPolicy, { params: where });
    const tag = headers.get('etag') ?? '';
    const change = (body: rest.RoutingPolicyPatch, match = tag) =>
      server.call(admin, rest.updateRoutingPolicy, {
        params: where,
        body,
        headers: { 'if-match': match },
      });
    expect((await change({ strategy: 'weighted', retries: 2 })).body).toMatchObject({
      strategy: 'weighted',
      retries: 2,
      candidates,
    });
    expect((await change({ retries: 1 })).status).toBe(412);
    const gone = await server.ok(admin, rest.createModel, {
      params,
      body: { name: 'gone', providerId: tenant.providerId },
    });
    await change({ candidates: [{ modelId: gone.id, weight: 1, timeouts: null }] }, '*');
    await server.ok(admin, rest.deleteModel, { params: { ...params, modelId: gone.id } });
    const kept = [
      { modelId: second },
      { modelId: gone.id },
    ] as rest.RoutingPolicyPatch['candidates'];
    expect((await change({ candidates: kept }, '*')).status).toBe(200);
    const trail = await server.ok(admin, rest.listAuditEvents, { params, query: { limit: 200 } });
    const actions = trail.data.filter(({ target }) => target.id === id).map(({ action }) => action);
    expect(actions).toContain('routing-policy.create');
    expect(actions).toContain('routing-policy.update');

    const found = async (search: string): Promise<string[]> => {
      const query = { search, limit: 200 };
      const { data } = await server.ok(admin, rest.listAuditEvents, { params, query });
      return [...new Set(data.map(({ action }) => action))];
    };
    expect(await found('POLICY.upd')).toEqual(['routing-policy.update']);
    expect((await found(id)).toSorted()).toEqual([
      'routing-policy.create',
      'routing-policy.update',
    ]);
    expect(await found('%')).toEqual([]);
    const [{ actor } = { actor: { email: null } }] = trail.data;
    expect(await found(actor.email ?? 'nobody')).toContain('routing-policy.create');
  });

  test('is not deleted while a key names it', async () => {
    const { id } = await policyOf();
    const key = { ...params, apiKeyId: tenant.teamKeyId };
    await server.ok(admin, rest.updateApiKey, { params: key, body: { routingPolicyId: id } });
    const those = { params, query: { routingPolicyId: id } };
    const { data: named } = await server.ok(admin, rest.listApiKeys, those);
    expect(named.map((found) => found.id)).toEqual([tenant.teamKeyId]);
    const where = { ...params, routingPolicyId: id };
    expect(await server.refused(admin, rest.deleteRoutingPolicy, { params: where })).toMatchObject({
      status: 409,
    });
    await server.ok(admin, rest.updateApiKey, { params: key, body: { routingPolicyId: null } });
    await server.ok(admin, rest.deleteRoutingPolicy, { params: where });
    const nobody = { params: key, body: { routingPolicyId: id } };
    expect(await server.refused(admin, rest.updateApiKey, nobody)).toMatchObject({
      status: 422,
      path: 'routingPolicyId',
    });
  });
});

test('a key’s policy reaches the data plane while it and the organisation’s switch are on', async () => {
  const policy = await policyOf({
    strategy: 'priority',
    failoverTriggers: ['any'],
    timeouts: { firstTokenMs: 900 },
    hedgeAfterMs: 250,
    candidates: [{ modelId: second, timeouts: { attemptMs: 5_000 } }, { modelId: tenant.modelId }],
  });
  const { key } = await server.ok(admin, rest.createApiKey, {
    params,
    body: { name: 'routed', type: 'ORGANISATION', routingPolicyId: policy.id },
  });
  const contextOf = async () => (await resolveKey(database.pool, hashApiKey(key))).context;
  const switchTo = (routingEnabled: boolean) =>
    server.ok(admin, rest.updateOwnOrganisation, { params, body: { routingEnabled } });
  expect((await contextOf())?.routingPolicy).toBeNull();
  await switchTo(true);
  const context = await contextOf();
  const none = { attemptMs: 0, connectMs: 0, firstTokenMs: 0, idleMs: 0 };
  expect(context?.routingPolicy).toEqual({
    policyId: policy.id,
    name: policy.name,
    strategy: 'priority',
    candidates: [
      { modelId: second, priority: 1, weight: 1, timeouts: { ...none, attemptMs: 5_000 } },
      { modelId: tenant.modelId, priority: 2, weight: 1, timeouts: null },
    ],
    triggers: ['any'],
    timeouts: { ...none, firstTokenMs: 900 },
    totalTimeoutMs: 0,
    retries: 0,
    hedgeAfterMs: 250,
  });
  expect(context?.models?.map(({ capabilities }) => capabilities).toSorted()).toEqual([
    '',
    'tools',
  ]);
  const news = async () => {
    const rows = await database.orm.query(
      `SELECT kind FROM outbox_event WHERE organisation_id = $1 ORDER BY seq DESC LIMIT 1`,
      [tenant.organisationId],
    );
    return rows[0]?.kind as string;
  };
  const where = { ...params, routingPolicyId: policy.id };
  await server.ok(admin, rest.updateRoutingPolicy, { params: where, body: { status: 'DISABLED' } });
  expect(await news()).toBe('ROUTING_POLICY');
  expect((await contextOf())?.routingPolicy).toBeNull();
});

describe('what policies report of upstreams', () => {
  const NOW = Date.now();
  const change = (changes: Partial<UpstreamChange__Output> = {}): UpstreamChange__Output => ({
    organisationId: tenant.organisationId,
    providerId: tenant.providerId,
    modelId: tenant.modelId,
    state: 'OPEN',
    reason: 'HTTP_503',
    atMs: NOW,
    untilMs: NOW + 3_600_000,
    expiresAtMs: NOW + 7_200_000,
    cooldownUntilMs: 0,
    attempts: 8,
    failures: 6,
    ...changes,
  });
  const list = async (query: { state?: 'OPEN' | 'CLOSED' | 'HALF_OPEN' } = {}) =>
    (await server.ok(admin, rest.listUpstreamStatuses, { params, query })).data;

  test('is listed, the latest change winning, and time half opens and closes it', async () => {
    expect(await storeUpstreamStates(database.pool, [change()])).toBe(1);
    expect(
      await storeUpstreamStates(database.pool, [
        change(),
        change({ atMs: NOW - 1, state: 'CLOSED' }),
      ]),
    ).toBe(0);
    expect(await list()).toEqual([
      {
        modelId: tenant.modelId,
        providerId: tenant.providerId,
        state: 'OPEN',
        reason: 'HTTP_503',
        changedAt: new Date(NOW).toISOString(),
        openUntil: new Date(NOW + 3_600_000).toISOString(),
        cooldownUntil: null,
        attempts: 8,
        failures: 6,
      },
    ]);
    expect(await list({ state: 'OPEN' })).toHaveLength(1);
    const at = (values: Partial<UpstreamChange__Output>) =>
      storeUpstreamStates(database.pool, [change({ ...values })]);
    await at({ atMs: NOW + 1, untilMs: NOW - 10 });
    expect(await list({ state: 'HALF_OPEN' })).toMatchObject([{ state: 'HALF_OPEN' }]);
    await at({ atMs: NOW + 2, untilMs: NOW - 10, expiresAtMs: NOW - 5 });
    expect(await list({ state: 'CLOSED' })).toMatchObject([{ state: 'CLOSED', openUntil: null }]);
    expect(await list({ state: 'OPEN' })).toEqual([]);
  });

  test('is in a gauge, as it is at the time of a scrape', async () => {
    const metrics = createMetrics({ service: 'catalog' });
    const log = createLogger({ service: 'catalog', level: 'info', write: () => {} });
    const clock = { now: () => NOW };
    const gauges = createUpstreamGauges({ pool: database.pool, metrics, log, clock });
    let atMs = NOW + 20;
    const after = async (values: Partial<UpstreamChange__Output>): Promise<unknown> => {
      atMs += 1;
      await storeUpstreamStates(database.pool, [change({ ...values, atMs })]);
      await gauges.refresh();
      const text = await metrics.text();
      const found = [...text.matchAll(/^tollgate_upstreams_resting\{state="(\w+)".* (\d+)$/gm)];
      return Object.fromEntries(found.map(([, state, value]) => [state, Number(value)]));
    };
    expect(await after({})).toEqual({ open: 1, half_open: 0, cooldown: 0 });
    expect(await after({ untilMs: NOW - 10 })).toEqual({ open: 0, half_open: 1, cooldown: 0 });
    expect(await after({ state: 'HALF_OPEN' })).toEqual({ open: 0, half_open: 1, cooldown: 0 });
    const over = { untilMs: NOW - 10, expiresAtMs: NOW - 5 };
    expect(await after(over)).toEqual({ open: 0, half_open: 0, cooldown: 0 });
    const cooling = { state: 'CLOSED', cooldownUntilMs: NOW + 1_000 };
    expect(await after(cooling)).toEqual({ open: 0, half_open: 0, cooldown: 1 });
  });

  test('is dropped where the model is not the organisation’s, and refused where it cannot be', async () => {
    expect(
      await storeUpstreamStates(database.pool, [change({ modelId: UNKNOWN, atMs: NOW + 9 })]),
    ).toBe(0);
    await expect(storeUpstreamStates(database.pool, [change({ state: 'AJAR' })])).rejects.toThrow(
      'state',
    );
    await expect(storeUpstreamStates(database.pool, [change({ atMs: -1 })])).rejects.toThrow(
      'atMs',
    );
  });
});
