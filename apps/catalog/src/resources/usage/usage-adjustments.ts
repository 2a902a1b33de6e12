import { formatUsd, parseUsd, restError, type rest } from '@tollgate/contracts';
import type { EntityManager } from 'typeorm';

import { transactionOf } from '../../db';
import { Organisation } from '../../entities/organisation.entity';
import { correct } from '../../ledger';
import { UsageAdjustment } from '../../ledger/records/usage-adjustment.entity';
import { withinReach } from '../../rest/access';
import type { Call } from '../../rest/call';
import { conflict } from '../../rest/field-errors';
import { idKey, readByAge } from '../../rest/paging';

/** Adjustments as the API lists and creates them. The ledger books them. */

export async function list(
  call: Call<typeof rest.listUsageAdjustments>,
): Promise<rest.PageOf<rest.UsageAdjustment>> {
  const { query, db } = call;
  const rows = db
    .createQueryBuilder(UsageAdjustment, 'adjustment')
    .where('adjustment.organisationId = :organisationId', {
      organisationId: call.organisation.id,
    });
  withinReach(rows, call.access, { teamId: 'adjustment.teamId', userId: 'adjustment.userId' });
  for (const field of ['kind', 'requestId'] as const) {
    const value = query[field];
    if (value !== undefined) rows.andWhere(`adjustment.${field} = :${field}`, { [field]: value });
  }
  if (query.from !== undefined) {
    rows.andWhere('adjustment.createdAt >= :from', { from: new Date(query.from) });
  }
  if (query.to !== undefined) {
    rows.andWhere('adjustment.createdAt < :to', { to: new Date(query.to) });
  }
  const page = await readByAge(rows, query, idKey<UsageAdjustment>('adjustment.id'));
  return { data: page.rows.map(represent), nextCursor: page.nextCursor, matching: page.matching };
}

type RecordAdjustments = rest.UsageRecordDetail['adjustments'];

/** The adjustments of one record, oldest first, as its details show them. */
export async function adjustmentsOf(
  db: EntityManager,
  record: { readonly id: string; readonly organisationId: string },
): Promise<RecordAdjustments> {
  const rows = await db.find(UsageAdjustment, {
    where: { requestId: record.id, organisationId: record.organisationId },
    order: { id: 'ASC' },
  });
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    reason: row.reason,
    costUsd: formatUsd(row.costNanoUsd),
    createdAt: row.createdAt.toISOString(),
  }));
}

export async function correctRecord(
  call: Call<typeof rest.correctUsageRecord>,
): Promise<rest.UsageAdjustment> {
  const { db, body, actor } = call;
  const { requestId } = call.params;
  const organisation = await db.findOneBy(Organisation, { id: call.params.organisationId });
  if (organisation === null) throw restError('not_found');
  const outcome = await correct(await transactionOf(db), {
    organisationId: organisation.id,
    timeZone: organisation.timeZone,
    requestId,
    differenceNanoUsd: parseUsd(body.costUsd, { allowNegative: true }),
    reason: body.reason,
    createdBy: actor.id,
  });
  if (outcome === 'UNKNOWN') throw restError('not_found');
  if (outcome === 'BELOW_ZERO') {
    throw conflict('costUsd', 'exceeds the cost of the request');
  }
  const after = represent(await db.findOneByOrFail(UsageAdjustment, { id: outcome.id }));
  call.changed({
    action: 'usage.correct',
    organisationId: organisation.id,
    target: { type: 'usage_record', id: requestId },
    after,
    news: [outcome.news],
  });
  return after;
}

export function represent(row: UsageAdjustment): rest.UsageAdjustment {
  return {
    id: row.id,
    requestId: row.requestId,
    organisationId: row.organisationId,
    teamId: row.teamId,
    userId: row.userId,
    apiKeyId: row.apiKeyId,
    modelId: row.modelId,
    providerId: row.providerId,
    mcpServerId: row.mcpServerId,
    kind: row.kind,
    reason: row.reason,
    costUsd: formatUsd(row.costNanoUsd),
    tokensIn: Number(row.tokensIn),
    tokensOut: Number(row.tokensOut),
    createdBy: row.createdBy,
    authorisedAt: row.authorisedAt.toISOString(),
    createdAt: row.createdAt.toISOString(),
  };
}
