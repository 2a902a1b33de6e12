import { randomUUID } from 'node:crypto';
import { rest, windowAt } from '@tollgate/contracts';
import { createLogger } from '@tollgate/kit';
import { startWebhookReceiver, type WebhookReceiver } from '@tollgate/simulator';

import { evaluate } from '../../alerts/evaluate';
import { alertsOf, createRule } from '../../alerts/test-support';
import { exportNext } from '../../exports/deliver';
import {
  createDestination,
  WEBHOOK_SECRET,
  webhookTarget,
  workerOf,
  type Worker,
} from '../../exports/test-support/destinations';
import { startRest, type RestServer } from '../../rest/test-support';
import type { Database } from '../../schema';
import {
  appendNext,
  createBudget,
  createTenant,
  entryOf,
  NOON_MS,
  startTestDatabases,
  type Tenant,
  type TestDatabases,
} from '../../test-support';

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let receiver: WebhookReceiver;
let worker: Worker;
let tenant: Tenant;
let failing = false;

const log = createLogger({ service: 'catalog', level: 'error', write: () => {} });
const day = windowAt({ period: 'DAILY' }, NOON_MS, 'UTC');

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
  receiver = await startWebhookReceiver({
    secret: () => WEBHOOK_SECRET,
    fault: () => (failing ? 500 : undefined),
  });
});
beforeEach(async () => {
  tenant = await createTenant(database.orm);
  worker = workerOf(database);
  receiver.deliveries.length = 0;
  failing = false;
  await database.pool.query('DELETE FROM export_destination');
});
afterAll(async () => {
  await receiver.stop();
  await server.stop();
  await databases.stop();
});

const forget = (endUser: string) =>
  server.ok(server.root, rest.forgetEndUser, {
    params: { organisationId: tenant.organisationId },
    body: { endUser },
  });

/** Budgets of each value of a scope, of which these have used all; returns the rule of their alert. */
async function usedUp(
  scopeType: 'END_USER' | 'SESSION',
  names: readonly string[],
): Promise<{ ruleId: string; limitId: string }> {
  const { organisationId } = tenant;
  const limitId = await createBudget(database.orm, tenant, {
    scopeType,
    scopeId: organisationId,
    valueKey: randomUUID(),
    limitNanoUsd: 1_000n,
  });
  const ruleId = await createRule(database.pool, tenant, {
    kind: 'BUDGET_USED',
    thresholds: [100],
    scopeTypes: null,
    budgetId: limitId,
  });
  const entries = names.map((name, place) =>
    entryOf(tenant, {
      touched: [
        {
          limitId: `${limitId}~e${String(place).padEnd(21, 'x')}`,
          windowStartMs: day.startMs,
          windowEndMs: day.endMs,
          amount: '1000',
        },
      ],
      settle: scopeType === 'END_USER' ? { endUser: name } : { session: name },
    }),
  );
  await appendNext(database.pool, tenant, entries);
  await evaluate({ pool: database.pool, log }, NOON_MS);
  return { ruleId, limitId };
}

const textOf = async (ruleId: string): Promise<string | undefined> =>
  (await alertsOf(database.pool, ruleId))[0]?.text;

test('an alert no longer names an end user who is forgotten, and keeps the others', async () => {
  const { ruleId } = await usedUp('END_USER', ['ada', 'adam', 'bob\tx']);
  expect(await textOf(ruleId)).toContain('"ada" $0.000001 (100 %), "adam"');
  expect(await forget('ada')).toEqual({ records: 1, more: false });
  expect(await textOf(ruleId)).toContain('"forgotten" $0.000001 (100 %), "adam"');
  await forget('bob\tx');
  expect(await textOf(ruleId)).not.toContain('bob');
});

test('the alert of a limit that was deleted loses the name too', async () => {
  const { ruleId, limitId } = await usedUp('END_USER', ['ada']);
  await database.pool.query('DELETE FROM budget WHERE id = $1', [limitId]);
  await forget('ada');
  expect(await textOf(ruleId)).toContain('"forgotten"');
});

test('a session with the name of the end user stays in its alert', async () => {
  const { ruleId } = await usedUp('SESSION', ['ada']);
  await forget('ada');
  expect(await textOf(ruleId)).toContain('"ada"');
});

test('an export that waits for delivery no longer has the name, and all else as before', async () => {
  const other = await createTenant(database.orm);
  const target = webhookTarget(receiver.url);
  const at = worker.clock.now();
  await createDestination(
    database,
    { organisationId: tenant.organisationId, target, name: 'own' },
    at,
  );
  await createDestination(
    database,
    { organisationId: null, target: { ...target, compression: 'NONE' }, name: 'platform' },
    at,
  );
  const named = (of: Tenant, endUser: string) => entryOf(of, { settle: { endUser } });
  await appendNext(database.pool, tenant, [
    named(tenant, 'ada'),
    named(tenant, 'bob'),
    named(tenant, 'ada'),
  ]);
  await appendNext(database.pool, other, [named(other, 'ada')]);
  failing = true;
  expect(await worker.drain()).toEqual(['FAILED', 'FAILED']);
  const before = receiver.deliveries.splice(0);
  await database.pool.query(`UPDATE export_destination SET status = 'PAUSED'`);
  expect(await forget('ada')).toEqual({ records: 2, more: false });
  await database.pool.query(`UPDATE export_destination SET status = 'ACTIVE'`);
  failing = false;
  worker.clock.advance(3_600_000);
  await worker.drain();
  expect(before.map(({ lines }) => lines.length).toSorted((one, other) => one - other)).toEqual([
    3, 4,
  ]);
  const renamed = (line: Record<string, unknown>) =>
    line['endUser'] === 'ada' && line['organisationId'] === tenant.organisationId
      ? { ...line, endUser: 'forgotten' }
      : line;
  for (const { id, number, lines } of before) {
    const again = receiver.deliveries.find((delivery) => delivery.id === id);
    expect(again?.number).toBe(number);
    expect(again?.lines).toEqual(lines.map(renamed));
  }
  const { data } = await server.ok(server.root, rest.listAuditEvents, {
    params: { organisationId: tenant.organisationId },
    query: { action: 'usage.forget_end_user' },
  });
  expect(data).toMatchObject([{ after: { records: 2, alerts: 0, exportedRows: 4 } }]);
});

test('a batch that is being made while a user is forgotten is waited for', async () => {
  await createDestination(
    database,
    { organisationId: tenant.organisationId, target: webhookTarget(receiver.url) },
    worker.clock.now(),
  );
  await appendNext(database.pool, tenant, [entryOf(tenant, { settle: { endUser: 'ada' } })]);
  failing = true;
  const readers = worker.deps.readers;
  let forgetting: Promise<unknown> | undefined;
  await exportNext({
    ...worker.deps,
    readers: {
      ...readers,
      USAGE: async (db, ids) => {
        const read = await readers.USAGE(db, ids);
        forgetting ??= forget('ada');
        await waitsForLock();
        return read;
      },
    },
  });
  await forgetting;
  const { rows } = await database.pool.query<{ byte_count: number }>(
    `SELECT byte_count FROM export_batch`,
  );
  expect(rows).toHaveLength(1);
  failing = false;
  worker.clock.advance(3_600_000);
  await worker.drain();
  expect(receiver.deliveries.at(-1)?.lines).toMatchObject([{ endUser: 'forgotten' }]);
});

/** Until a statement waits for the row of a destination. */
async function waitsForLock(): Promise<void> {
  for (;;) {
    const { rows } = await database.pool.query(
      `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'
        AND datname = current_database() AND query LIKE '%FROM export_destination%'`,
    );
    if (rows.length > 0) return;
  }
}
