import { formatUsd, parseUsd, restError, type QuotaMetric, type rest } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';

import { Quota } from '../../entities/quota.entity';
import type { Call } from '../../rest/call';
import { definedFields } from '../../rest/defined-fields';
import { invalid } from '../../rest/field-errors';
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
  row: Quota,
  figures: Figures,
  keys: Pick<rest.Quota, 'keysInScope'>,
): rest.Quota {
  return {
    ...keys,
    id: row.id,
    organisationId: row.organisationId,
    scope: representScope(row),
    requireValue: row.requireValue,
    mode: row.mode,
    status: row.status,
    metric: row.metric,
    period: row.period,
    windowSeconds: row.windowSeconds,
    limit: amountOut(row.metric, row.limitAmount),
    used: amountOut(row.metric, figures.spent),
    held: amountOut(row.metric, figures.held),
    windowStart: figures.windowStart,
    windowEnd: figures.windowEnd,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

/** Money is a decimal string, everything else a count. */
function amountOut(metric: QuotaMetric, amount: bigint): string | number {
  return metric === 'COST' ? formatUsd(amount) : Number(amount);
}

function amountIn(metric: QuotaMetric, amount: string | number): bigint {
  if ((metric === 'COST') !== (typeof amount === 'string')) {
    throw invalid('limit', 'decimal US dollars for COST, a whole number for every other metric');
  }
  return typeof amount === 'string' ? parseUsd(amount) : BigInt(amount);
}

async function representAll(call: InOrganisation, rows: readonly Quota[]): Promise<rest.Quota[]> {
  const { timeZone } = call.organisation;
  const figures = await currentFiguresOf(call.db, 'QUOTA', rows, timeZone, call.nowMs);
  const keysOf = await keysInScopeOf(call.db, call.organisation.id, rows);
  return rows.flatMap((row) => {
    const own = figures.get(row.id);
    return own === undefined ? [] : [represent(row, own, keysOf(row))];
  });
}

async function representOne(call: InOrganisation, row: Quota): Promise<rest.Quota> {
  const [quota] = await representAll(call, [row]);
  if (quota === undefined) throw restError('not_found');
  return quota;
}

export async function list(call: Call<typeof rest.listQuotas>): Promise<rest.PageOf<rest.Quota>> {
  const { query } = call;
  const rows = call.db.createQueryBuilder(Quota, 'quota');
  narrowToScope(rows, 'quota', call, query);
  if (query.metric !== undefined) rows.andWhere('quota.metric = :metric', { metric: query.metric });
  const page = await readByAge(rows, query, idKey<Quota>('quota.id'));
  return {
    data: await representAll(call, page.rows),
    nextCursor: page.nextCursor,
    matching: page.matching,
  };
}

export async function get(call: Call<typeof rest.getQuota>): Promise<rest.Quota> {
  return representOne(call, await findQuota(call, call.params.quotaId, 'read'));
}

export async function create(call: Call<typeof rest.createQuota>): Promise<rest.Quota> {
  const { db, organisation } = call;
  const { scope, limit, period, windowSeconds, ...fields } = call.body;
  const id = uuidv7();
  await db.insert(Quota, {
    id,
    organisationId: organisation.id,
    ...(await assertScope(call, scope)),
    ...fields,
    period: period ?? null,
    windowSeconds: windowSeconds ?? null,
    limitAmount: amountIn(fields.metric, limit),
    createdBy: call.actor.id,
  });
  const after = await representOne(call, await db.findOneByOrFail(Quota, { id }));
  noteLimitChange(call, { resource: 'quota', verb: 'create', id, after });
  return after;
}

export async function update(call: Call<typeof rest.updateQuota>): Promise<rest.Quota> {
  const { db } = call;
  const id = call.params.quotaId;
  const row = await findQuota(call, id, 'write');
  const before = await representOne(call, row);
  call.expectMatch(before);
  assertValueRequired(row, call.body.requireValue);
  const { limit, ...fields } = definedFields(call.body);
  const amount = limit === undefined ? {} : { limitAmount: amountIn(row.metric, limit) };
  await db.update(Quota, { id }, { ...fields, ...amount });
  const after = await representOne(call, await db.findOneByOrFail(Quota, { id }));
  noteLimitChange(call, { resource: 'quota', verb: 'update', id, before, after });
  return after;
}

export async function remove(call: Call<typeof rest.deleteQuota>): Promise<void> {
  const { db } = call;
  const id = call.params.quotaId;
  const before = await representOne(call, await findQuota(call, id, 'write'));
  call.expectMatch(before);
  await db.delete(Quota, { id });
  noteLimitChange(call, { resource: 'quota', verb: 'delete', id, before });
}

async function findQuota(
  call: InOrganisation,
  id: string,
  purpose: 'read' | 'write',
): Promise<Quota> {
  const found = await call.db.findOne(Quota, {
    where: { id, organisationId: call.organisation.id },
    ...(purpose === 'write' ? { lock: { mode: 'pessimistic_write' } } : {}),
  });
  if (found === null) throw restError('not_found');
  await assertReach(call, found, purpose);
  return found;
}
