import { formatUsd, parseUsd, restError, type rest } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';

import { Budget } from '../../entities/budget.entity';
import { Experiment } from '../../entities/experiment.entity';
import type { Call } from '../../rest/call';
import { definedFields } from '../../rest/defined-fields';
import { idKey, readByAge } from '../../rest/paging';
import { currentFiguresOf, type Figures } from '../limits/current-figures';
import { keysInScopeOf } from '../limits/keys-in-scope';
import {
  assertReach,
  assertScope,
  assertValueRequired,
  narrowToScope,
  representScope,
} from '../limits/limit-scope';
import { noteLimitChange } from '../limits/note-limit-change';

type InOrganisation = Pick<Call, 'db' | 'organisation' | 'access' | 'nowMs'>;

function represent(
  row: Budget,
  figures: Figures,
  keys: Pick<rest.Budget, 'keysInScope'>,
): rest.Budget {
  return {
    ...keys,
    id: row.id,
    organisationId: row.organisationId,
    scope: representScope(row),
    requireValue: row.requireValue,
    mode: row.mode,
    status: row.status,
    period: row.period,
    limitUsd: formatUsd(row.limitNanoUsd),
    clampToBudget: row.clampToBudget,
    spentUsd: formatUsd(figures.spent),
    heldUsd: formatUsd(figures.held),
    windowStart: figures.windowStart,
    windowEnd: figures.windowEnd,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

async function representAll(call: InOrganisation, rows: readonly Budget[]): Promise<rest.Budget[]> {
  const measured = rows.map(({ id, organisationId, scopeType, scopeId, period, valueKey }) => ({
    id,
    organisationId,
    scopeType,
    scopeId,
    period,
    valueKey,
    metric: 'COST' as const,
    windowSeconds: null,
  }));
  const { timeZone } = call.organisation;
  const figures = await currentFiguresOf(call.db, 'BUDGET', measured, timeZone, call.nowMs);
  const keysOf = await keysInScopeOf(call.db, call.organisation.id, rows);
  return rows.flatMap((row) => {
    const own = figures.get(row.id);
    return own === undefined ? [] : [represent(row, own, keysOf(row))];
  });
}

async function representOne(call: InOrganisation, row: Budget): Promise<rest.Budget> {
  const [budget] = await representAll(call, [row]);
  if (budget === undefined) throw restError('not_found');
  return budget;
}

export async function list(call: Call<typeof rest.listBudgets>): Promise<rest.PageOf<rest.Budget>> {
  const { query } = call;
  const rows = call.db.createQueryBuilder(Budget, 'budget');
  narrowToScope(rows, 'budget', call, query);
  rows.andWhere('NOT EXISTS (SELECT FROM experiment e WHERE e.id = budget.scopeId)');
  if (query.period !== undefined)
    rows.andWhere('budget.period = :period', { period: query.period });
  const page = await readByAge(rows, query, idKey<Budget>('budget.id'));
  return {
    data: await representAll(call, page.rows),
    nextCursor: page.nextCursor,
    matching: page.matching,
  };
}

export async function get(call: Call<typeof rest.getBudget>): Promise<rest.Budget> {
  return representOne(call, await findBudget(call, call.params.budgetId, 'read'));
}

export async function create(call: Call<typeof rest.createBudget>): Promise<rest.Budget> {
  const { db, organisation } = call;
  const { scope, limitUsd, ...fields } = call.body;
  const id = uuidv7();
  await db.insert(Budget, {
    id,
    organisationId: organisation.id,
    ...(await assertScope(call, scope)),
    ...fields,
    limitNanoUsd: parseUsd(limitUsd),
    createdBy: call.actor.id,
  });
  const after = await representOne(call, await db.findOneByOrFail(Budget, { id }));
  noteLimitChange(call, { resource: 'budget', verb: 'create', id, after });
  return after;
}

export async function update(call: Call<typeof rest.updateBudget>): Promise<rest.Budget> {
  const { db } = call;
  const id = call.params.budgetId;
  const row = await findBudget(call, id, 'write');
  const before = await representOne(call, row);
  call.expectMatch(before);
  assertValueRequired(row, call.body.requireValue);
  const { limitUsd, ...fields } = definedFields(call.body);
  const limit = limitUsd === undefined ? {} : { limitNanoUsd: parseUsd(limitUsd) };
  await db.update(Budget, { id }, { ...fields, ...limit });
  const after = await representOne(call, await db.findOneByOrFail(Budget, { id }));
  noteLimitChange(call, { resource: 'budget', verb: 'update', id, before, after });
  return after;
}

export async function remove(call: Call<typeof rest.deleteBudget>): Promise<void> {
  const { db } = call;
  const id = call.params.budgetId;
  const before = await representOne(call, await findBudget(call, id, 'write'));
  call.expectMatch(before);
  await db.delete(Budget, { id });
  noteLimitChange(call, { resource: 'budget', verb: 'delete', id, before });
}

/** Its experiment shows and changes it. */
async function isOfShadow({ db }: InOrganisation, { scopeId: id }: Budget): Promise<boolean> {
  return db.existsBy(Experiment, { id });
}

async function findBudget(
  call: InOrganisation,
  id: string,
  purpose: 'read' | 'write',
): Promise<Budget> {
  const found = await call.db.findOne(Budget, {
    where: { id, organisationId: call.organisation.id },
    ...(purpose === 'write' ? { lock: { mode: 'pessimistic_write' } } : {}),
  });
  if (found === null || (await isOfShadow(call, found))) throw restError('not_found');
  await assertReach(call, found, purpose);
  return found;
}
