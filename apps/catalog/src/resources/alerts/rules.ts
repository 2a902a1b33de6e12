import {
  ORGANISATION_ALERT_KINDS,
  PLATFORM_ALERT_KINDS,
  rest,
  restError,
} from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';

import { AlertRuleDestination } from '../../entities/alert-rule-destination.entity';
import { AlertRule } from '../../entities/alert-rule.entity';
import { Budget } from '../../entities/budget.entity';
import { Quota } from '../../entities/quota.entity';
import { definedFields } from '../../rest/defined-fields';
import { conflict, invalid } from '../../rest/field-errors';
import { idKey, readPage } from '../../rest/paging';
import { assertDestinations } from './destinations';
import { ownedBy, ownerOf, type Within } from './owner';

/** A rule of an organisation or of the platform. */
type WrittenRule = Omit<rest.AlertRuleCreate, 'condition'> & {
  readonly condition: rest.AlertCondition;
};

interface Page {
  readonly cursor?: string | undefined;
  readonly limit: number;
  readonly total?: 'true' | undefined;
  readonly sort?: 'createdAt' | '-createdAt' | 'name' | '-name' | undefined;
}

export async function list(call: Within, query: Page): Promise<rest.PageOf<rest.AlertRule>> {
  const id = idKey<AlertRule>('rule.id');
  const page = await readPage(rulesOf(call), {
    cursor: query.cursor,
    limit: query.limit,
    total: query.total,
    sort: query.sort ?? 'name',
    id,
    keys: { createdAt: id, name: { column: 'rule.name', of: (row) => row.name } },
  });
  return {
    data: await represent(call, page.rows),
    nextCursor: page.nextCursor,
    matching: page.matching,
  };
}

export async function get(call: Within, id: string): Promise<rest.AlertRule> {
  return representOne(call, await find(call, id));
}

export async function create(call: Within, body: WrittenRule): Promise<rest.AlertRule> {
  await assertRoom(call, 1);
  await assertLimit(call, body.condition);
  await assertDestinations(call, body.destinationIds);
  return insert(call, body);
}

export async function update(
  call: Within,
  id: string,
  body: rest.AlertRulePatch | rest.PlatformAlertRulePatch,
): Promise<rest.AlertRule> {
  const row = await find(call, id, true);
  const before = await representOne(call, row);
  call.expectMatch(before);
  const { destinationIds, ...given } = definedFields(body);
  if (given.condition !== undefined) {
    await assertLimit(call, given.condition);
    if (given.condition.kind !== row.kind) {
      throw invalid('condition.kind', `the kind never changes: it is ${row.kind}`);
    }
  }
  if (destinationIds !== undefined) {
    await assertDestinations(call, destinationIds);
    await call.db.delete(AlertRuleDestination, { ruleId: id });
    await connect(call, id, destinationIds);
  }
  await call.db.update(AlertRule, { id }, { ...given, updatedAt: new Date(call.nowMs) });
  const after = await representOne(call, await find(call, id));
  noteChange(call, 'update', id, { before, after });
  return after;
}

export async function remove(call: Within, id: string): Promise<void> {
  const before = await representOne(call, await find(call, id, true));
  call.expectMatch(before);
  await call.db.delete(AlertRule, { id });
  noteChange(call, 'delete', id, { before });
}

/** What most administrators want; with the defaults of each condition. */
const RECOMMENDED: readonly { readonly name: string; readonly kind: string }[] = [
  { name: 'Budgets at 50, 80 and 100 %', kind: 'BUDGET_USED' },
  { name: 'Budgets that will not last', kind: 'BUDGET_FORECAST' },
  { name: 'Quotas at 80 and 100 %', kind: 'QUOTA_USED' },
  { name: 'Keys with many refused requests', kind: 'REQUESTS_REFUSED' },
  { name: 'Providers that refuse their key', kind: 'PROVIDER_KEY_REFUSED' },
  { name: 'Providers that fail often', kind: 'PROVIDER_ERRORS' },
  { name: 'Models without a price', kind: 'UNPRICED_MODEL' },
  { name: 'Ledger entries in quarantine', kind: 'LEDGER_QUARANTINE' },
  { name: 'A ledger that lags', kind: 'LEDGER_LAG' },
];

/** Adds a rule of each kind that has none, and returns the new ones. */
export async function addRecommended(
  call: Within,
  destinationIds: readonly string[],
): Promise<{ data: rest.AlertRule[]; nextCursor: null }> {
  await assertDestinations(call, destinationIds);
  const kinds = new Set<string>((await rulesOf(call).getMany()).map(({ kind }) => kind));
  const own: readonly string[] =
    ownerOf(call) === null ? PLATFORM_ALERT_KINDS : ORGANISATION_ALERT_KINDS;
  const missing = RECOMMENDED.filter(({ kind }) => own.includes(kind) && !kinds.has(kind));
  await assertRoom(call, missing.length);
  const data: rest.AlertRule[] = [];
  for (const { name, kind } of missing) {
    const condition = rest.alertCondition.parse({ kind });
    const draft = { name, condition, destinationIds: [...destinationIds] };
    data.push(await insert(call, { ...draft, status: 'ACTIVE' }));
  }
  return { data, nextCursor: null };
}

async function insert(call: Within, body: WrittenRule): Promise<rest.AlertRule> {
  const { name, condition, destinationIds, status } = body;
  const id = uuidv7();
  const organisationId = ownerOf(call);
  const { kind } = condition;
  await call.db.insert(AlertRule, { id, organisationId, name, kind, condition, status });
  await connect(call, id, destinationIds);
  const after = await representOne(call, await find(call, id));
  noteChange(call, 'create', id, { after });
  return after;
}

async function connect(call: Within, ruleId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await call.db.insert(
    AlertRuleDestination,
    ids.map((destinationId) => ({ ruleId, destinationId })),
  );
}

function rulesOf(call: Pick<Within, 'db' | 'endpoint' | 'organisation'>) {
  const owner = ownerOf(call);
  return call.db.createQueryBuilder(AlertRule, 'rule').where(ownedBy('rule', owner), { owner });
}

async function find(call: Within, id: string, lock = false): Promise<AlertRule> {
  const query = rulesOf(call).andWhere('rule.id = :id', { id });
  const found = await (lock ? query.setLock('pessimistic_write') : query).getOne();
  if (found === null) throw restError('not_found');
  return found;
}

async function represent(call: Within, rows: readonly AlertRule[]): Promise<rest.AlertRule[]> {
  const links =
    rows.length === 0
      ? []
      : await call.db
          .createQueryBuilder(AlertRuleDestination, 'link')
          .where('link.ruleId = ANY(:ids::uuid[])', { ids: rows.map(({ id }) => id) })
          .orderBy('link.destinationId')
          .getMany();
  const byRule = Map.groupBy(links, ({ ruleId }) => ruleId);
  return rows.map((row) => ({
    id: row.id,
    organisationId: row.organisationId,
    name: row.name,
    // An older release saved conditions without fields that have come since.
    condition: rest.alertCondition.parse(row.condition),
    destinationIds: (byRule.get(row.id) ?? []).map(({ destinationId }) => destinationId),
    status: row.status,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }));
}

async function representOne(call: Within, row: AlertRule): Promise<rest.AlertRule> {
  const [rule] = await represent(call, [row]);
  if (rule === undefined) throw restError('not_found');
  return rule;
}

/** A limit that a condition names is the organisation's. */
async function assertLimit(call: Within, condition: rest.AlertCondition): Promise<void> {
  const organisationId = ownerOf(call);
  if (organisationId === null) return;
  if ('budgetId' in condition && condition.budgetId !== null) {
    if (!(await call.db.existsBy(Budget, { organisationId, id: condition.budgetId }))) {
      throw invalid('condition.budgetId', 'there is no such budget');
    }
  }
  if ('quotaId' in condition && condition.quotaId !== null) {
    if (!(await call.db.existsBy(Quota, { organisationId, id: condition.quotaId }))) {
      throw invalid('condition.quotaId', 'there is no such quota');
    }
  }
}

async function assertRoom(call: Within, more: number): Promise<void> {
  const most = rest.MAX_ALERT_RULES;
  if ((await rulesOf(call).getCount()) + more > most) {
    throw conflict('name', `there are at most ${most} alert rules`);
  }
}

function noteChange(
  call: Within,
  verb: 'create' | 'update' | 'delete',
  id: string,
  states: { before?: rest.AlertRule; after?: rest.AlertRule },
): void {
  call.changed({
    action: `alert-rule.${verb}`,
    organisationId: ownerOf(call),
    target: { type: 'alert-rule', id },
    ...states,
  });
}
