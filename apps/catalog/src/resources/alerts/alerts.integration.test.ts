import { rest } from '@tollgate/contracts';

import {
  createTenant,
  startRest,
  TENANT_PASSWORD,
  type RestServer,
  type Tenant,
} from '../../rest/test-support';
import { createAlert } from '../../rest/test-support/alerts';
import type { Database } from '../../schema';
import { startTestDatabases, type TestDatabases } from '../../test-support';
import { startUpstream, type UpstreamServer } from '../providers/test-support/upstream-server';

let databases: TestDatabases;
let database: Database & { url: string };
let server: RestServer;
let tenant: Tenant;
let receiver: UpstreamServer;

beforeAll(async () => {
  databases = await startTestDatabases();
  receiver = await startUpstream();
});
beforeEach(async () => {
  database = await databases.fresh();
  server = await startRest(database);
  tenant = await createTenant(server, 'acme');
  receiver.serve(() => ({ status: 204, body: '' }));
});
afterEach(() => server.stop());
afterAll(async () => {
  await receiver.stop();
  await databases.stop();
});

const admin = () => tenant.callers.ORG_ADMIN;
const params = () => ({ organisationId: tenant.organisationId });
const hook = (name = 'a receiver') =>
  server.ok(admin(), rest.createAlertDestination, {
    params: params(),
    body: { kind: 'WEBHOOK', name, url: `${receiver.url}/hook` },
  });

describe('a destination', () => {
  it('shows its signing secret once, and a test is signed with it', async () => {
    const { destination, secret } = await hook();
    expect(secret).toMatch(/^whsec_/);
    const of = { params: { ...params(), alertDestinationId: destination.id } };
    const shown = await server.ok(admin(), rest.getAlertDestination, of);
    expect(JSON.stringify(shown)).not.toContain(secret);
    expect(await server.ok(admin(), rest.testAlertDestination, of)).toEqual({
      delivered: true,
      error: null,
    });
    expect(receiver.seen).toHaveLength(1);
    const renewed = await server.ok(admin(), rest.rotateAlertDestinationSecret, of);
    expect(renewed.secret).toMatch(/^whsec_/);
    expect(renewed.secret).not.toBe(secret);
    expect(server.logs.join()).not.toContain(secret);
    const { data } = await server.ok(admin(), rest.listAuditEvents, { params: params() });
    expect(data.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['alert-destination.create', 'alert-destination.rotate-secret']),
    );
    expect(JSON.stringify(data)).not.toContain(renewed.secret);
  });

  it('that refuses the test says why, and is tested ten times an hour', async () => {
    receiver.serve(() => ({ status: 500, body: 'inner' }));
    const { destination } = await hook();
    const of = { params: { ...params(), alertDestinationId: destination.id } };
    for (let n = 0; n < rest.ALERT_TESTS_PER_HOUR; n += 1) {
      expect(await server.ok(admin(), rest.testAlertDestination, of)).toEqual({
        delivered: false,
        error: 'The receiver answers with status 500.',
      });
    }
    expect(await server.refused(admin(), rest.testAlertDestination, of)).toMatchObject({
      status: 429,
      code: 'too_many_requests',
    });
    server.clock.advance(3_600_001);
    const later = await server.signIn('org_admin@acme.example.com', TENANT_PASSWORD);
    expect((await server.call(later, rest.testAlertDestination, of)).status).toBe(200);
  });

  it.each([
    [{ kind: 'WEBHOOK', name: 'x', url: 'http://10.0.0.1/hook' } as const, 'url'],
    [{ kind: 'SLACK', name: 'x', url: 'http://169.254.169.254/latest' } as const, 'url'],
    [{ kind: 'WEBHOOK', name: 'x', url: 'https://user:word@example.com/' } as const, 'url'],
    [{ kind: 'EMAIL', name: 'x', email: 'ops@example.com' } as const, 'kind'],
  ])('that may not be reached is refused: %j', async (body, path) => {
    expect(
      await server.refused(admin(), rest.createAlertDestination, { params: params(), body }),
    ).toMatchObject({ status: 422, path });
  });

  it('of Slack never shows its URL again', async () => {
    const url = `${receiver.url}/services/T000/B000/XXXXXXXXXXXXXXXX`;
    const { destination, secret } = await server.ok(admin(), rest.createAlertDestination, {
      params: params(),
      body: { kind: 'SLACK', name: 'ops', url },
    });
    expect(secret).toBeNull();
    expect(destination).toMatchObject({ url: null, secretPreview: 'http…XXXX' });
    const of = { params: { ...params(), alertDestinationId: destination.id } };
    const refused = await server.refused(admin(), rest.rotateAlertDestinationSecret, of);
    expect(refused.status).toBe(409);
    await server.ok(admin(), rest.updateAlertDestination, {
      ...of,
      body: { url: `${receiver.url}/services/next` },
    });
    await server.ok(admin(), rest.testAlertDestination, of);
    expect(receiver.seen.map(({ path }) => path)).toEqual(['/services/next']);
    const { rows } = await database.pool.query('SELECT details FROM audit_event');
    expect(JSON.stringify(rows)).not.toContain('services');
  });

  it('takes only the fields of its kind, and there is a largest number', async () => {
    const { destination } = await hook();
    const of = { params: { ...params(), alertDestinationId: destination.id } };
    expect(
      await server.refused(admin(), rest.updateAlertDestination, {
        ...of,
        body: { email: 'x@example.com' },
      }),
    ).toMatchObject({ status: 422, path: 'email' });
    for (let n = 1; n < rest.MAX_ALERT_DESTINATIONS; n += 1) await hook(`receiver ${n}`);
    expect(
      await server.refused(admin(), rest.createAlertDestination, {
        params: params(),
        body: { kind: 'WEBHOOK', name: 'one more', url: `${receiver.url}/hook` },
      }),
    ).toMatchObject({ status: 409 });
  });
});

describe('a rule', () => {
  it('is recommended for each kind once, and keeps its kind', async () => {
    const { destination } = await hook();
    const body = { destinationIds: [destination.id] };
    const add = () => server.ok(admin(), rest.addRecommendedAlertRules, { params: params(), body });
    const { data } = await add();
    expect(data.map(({ condition }) => condition.kind)).toEqual([
      'BUDGET_USED',
      'BUDGET_FORECAST',
      'QUOTA_USED',
      'REQUESTS_REFUSED',
      'PROVIDER_KEY_REFUSED',
      'PROVIDER_ERRORS',
      'UNPRICED_MODEL',
    ]);
    expect((await add()).data).toEqual([]);
    const [first] = data;
    const of = { params: { ...params(), alertRuleId: first?.id ?? '' } };
    expect(
      await server.refused(admin(), rest.updateAlertRule, {
        ...of,
        body: { condition: { kind: 'UNPRICED_MODEL' } },
      }),
    ).toMatchObject({ status: 422, path: 'condition.kind' });
    const changed = await server.ok(admin(), rest.updateAlertRule, {
      ...of,
      body: {
        condition: { kind: 'BUDGET_USED', thresholds: [25, 95] },
        destinationIds: [],
        status: 'DISABLED',
      },
    });
    expect(changed).toMatchObject({
      condition: { thresholds: [25, 95] },
      destinationIds: [],
      status: 'DISABLED',
    });
  });

  it.each([
    [{ kind: 'BUDGET_USED', thresholds: [] }, 'condition.thresholds'],
    [{ kind: 'BUDGET_USED', thresholds: [50, 50] }, 'condition.thresholds'],
    [{ kind: 'BUDGET_USED', thresholds: [0] }, 'condition.thresholds[0]'],
    [{ kind: 'PROVIDER_ERRORS', percent: 101 }, 'condition.percent'],
    [{ kind: 'LEDGER_LAG' }, 'condition.kind'],
  ])('with a wrong condition is refused with its field: %j', async (condition, path) => {
    expect(
      await server.refused(admin(), rest.createAlertRule, {
        params: params(),
        body: { name: 'x', condition: condition as never },
      }),
    ).toMatchObject({ status: 422, path });
  });

  it('of the platform is about the ledger', async () => {
    const { data } = await server.ok(server.root, rest.addRecommendedPlatformAlertRules, {
      body: { destinationIds: [] },
    });
    expect(data.map(({ condition }) => condition.kind)).toEqual([
      'LEDGER_QUARANTINE',
      'LEDGER_LAG',
    ]);
  });
});

describe('the log', () => {
  it('shows alerts with their messages, seen or not, and sends one again', async () => {
    const { destination } = await hook();
    const rule = await server.ok(admin(), rest.createAlertRule, {
      params: params(),
      body: {
        name: 'budgets',
        condition: { kind: 'BUDGET_USED' },
        destinationIds: [destination.id],
      },
    });
    const { id, deliveryId } = await createAlert(database, rule, destination.id);
    await createAlert(database, rule, destination.id);
    const unseen = () =>
      server.ok(admin(), rest.listAlerts, { params: params(), query: { seen: 'false' } });
    expect((await unseen()).data).toHaveLength(2);
    const of = { params: { ...params(), alertId: id } };
    const seen = await server.ok(admin(), rest.markAlertSeen, of);
    expect(seen).toMatchObject({
      seenBy: tenant.userIds.ORG_ADMIN,
      value: '85.00',
      limit: '100.00',
      deliveries: { pending: 0, delivered: 0, failed: 1, suppressed: 0 },
    });
    expect((await unseen()).data).toHaveLength(1);
    expect(await server.ok(admin(), rest.markAllAlertsSeen, { params: params() })).toEqual({
      seen: 1,
    });
    expect((await unseen()).data).toEqual([]);

    const again = { params: { ...of.params, alertDeliveryId: deliveryId } };
    expect(await server.ok(admin(), rest.replayAlertDelivery, again)).toMatchObject({
      status: 'PENDING',
      attempts: 0,
    });
    expect((await server.refused(admin(), rest.replayAlertDelivery, again)).status).toBe(409);
    const detail = await server.ok(admin(), rest.getAlert, of);
    expect(detail.log).toMatchObject([{ id: deliveryId, destinationName: 'a receiver' }]);
  });
});
