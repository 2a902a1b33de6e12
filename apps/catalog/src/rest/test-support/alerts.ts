import { rest } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';

import { AlertDelivery } from '../../entities/alert-delivery.entity';
import { Alert } from '../../entities/alert.entity';
import type { Database } from '../../schema';
import type { RestServer } from './rest-server';
import type { Tenant } from './tenant';

/** A destination, a rule, and an alert with a failed message: of a tenant, and of the platform. */

const destination = {
  kind: 'WEBHOOK',
  name: 'a receiver',
  url: 'http://127.0.0.1:9/hook',
} as const;

export async function alertIdsOf(
  server: RestServer,
  database: Database,
  { organisationId, callers }: Tenant,
): Promise<Record<string, string>> {
  const params = { organisationId };
  const admin = callers.ORG_ADMIN;
  const own = await server.ok(admin, rest.createAlertDestination, { params, body: destination });
  const rule = await server.ok(admin, rest.createAlertRule, {
    params,
    body: {
      name: 'budgets',
      condition: { kind: 'BUDGET_USED' },
      destinationIds: [own.destination.id],
    },
  });
  await makeRoom(server);
  const platform = await server.ok(server.root, rest.createPlatformAlertDestination, {
    body: destination,
  });
  const platformRule = await server.ok(server.root, rest.createPlatformAlertRule, {
    body: {
      name: 'ledger',
      condition: { kind: 'LEDGER_LAG' },
      destinationIds: [platform.destination.id],
    },
  });
  const alert = await createAlert(database, rule, own.destination.id);
  const platformAlert = await createAlert(database, platformRule, platform.destination.id);
  return {
    alertDestinationId: own.destination.id,
    alertRuleId: rule.id,
    alertId: alert.id,
    alertDeliveryId: alert.deliveryId,
    platformAlertDestinationId: platform.destination.id,
    platformAlertRuleId: platformRule.id,
    platformAlertId: platformAlert.id,
    platformAlertDeliveryId: platformAlert.deliveryId,
  };
}

/** Tests that build many tenants would come to the largest number of the platform's own. */
async function makeRoom(server: RestServer): Promise<void> {
  const { data: destinations } = await server.ok(server.root, rest.listPlatformAlertDestinations);
  if (destinations.length < rest.MAX_ALERT_DESTINATIONS / 2) return;
  for (const { id } of destinations) {
    const params = { platformAlertDestinationId: id };
    await server.ok(server.root, rest.deletePlatformAlertDestination, { params });
  }
  const { data: rules } = await server.ok(server.root, rest.listPlatformAlertRules);
  for (const { id } of rules) {
    const params = { platformAlertRuleId: id };
    await server.ok(server.root, rest.deletePlatformAlertRule, { params });
  }
}

/** An alert of a rule whose message has failed. */
export async function createAlert(
  { orm }: Pick<Database, 'orm'>,
  { id: ruleId, organisationId, condition }: rest.AlertRule,
  destinationId: string,
): Promise<{ id: string; deliveryId: string }> {
  const [id, deliveryId] = [uuidv7(), uuidv7()];
  const now = new Date();
  const ofLedger = organisationId === null;
  await orm.manager.insert(Alert, {
    id,
    organisationId,
    ruleId,
    ruleName: 'a rule',
    kind: condition.kind,
    subjectType: ofLedger ? 'LEDGER' : 'BUDGET',
    subjectId: ofLedger ? condition.kind : uuidv7(),
    subjectName: 'Something',
    windowStartsAt: now,
    windowEndsAt: new Date(now.getTime() + 3_600_000),
    threshold: 80,
    limitAmount: ofLedger ? 0n : 100_000_000_000n,
    value: 85_000_000_000n,
    money: !ofLedger,
    title: 'Something is used to 85 %',
    text: 'It is.',
    createdAt: now,
  });
  await orm.manager.insert(AlertDelivery, {
    id: deliveryId,
    alertId: id,
    organisationId,
    destinationId,
    destinationName: 'a receiver',
    destinationKind: 'WEBHOOK',
    status: 'FAILED',
    attempts: 12,
    lastError: 'The receiver answers with status 500.',
    nextAttemptAt: now,
    expiresAt: now,
    createdAt: now,
  });
  return { id, deliveryId };
}
