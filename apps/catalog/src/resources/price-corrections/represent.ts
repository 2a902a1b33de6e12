import { formatUsd, type rest } from '@tollgate/contracts';
import { In, type EntityManager } from 'typeorm';

import { UsageRerate } from '../../ledger/re-rating/usage-rerate.entity';
import { namesOf } from '../../rest/object-names';
import { representPriceList } from '../models/prices';
import type { PriceCorrection } from './price-correction.entity';

/** Price corrections as they are answered, with the names of their models and users and the state of their re-ratings. */
export async function represent(
  db: EntityManager,
  rows: readonly PriceCorrection[],
): Promise<rest.PriceCorrection[]> {
  if (rows.length === 0) return [];
  const nameOf = await namesOf(
    db,
    rows.flatMap(({ modelId, requestedBy }) => [
      { kind: 'model', id: modelId },
      { kind: 'user', id: requestedBy },
    ]),
  );
  const rerates = await db.findBy(UsageRerate, {
    id: In(rows.map(({ rerateId }) => rerateId).filter((id) => id !== null)),
  });
  return rows.map((row) => ({
    id: row.id,
    organisationId: row.organisationId,
    modelId: row.modelId,
    modelName: nameOf('model', row.modelId) ?? '',
    from: row.startsAt.toISOString(),
    to: row.endsAt.toISOString(),
    price: representPriceList(row),
    reason: row.reason,
    requests: Number(row.requests),
    chargedUsd: formatUsd(row.chargedNanoUsd),
    status: row.status,
    requestedBy: row.requestedBy,
    requestedByName: nameOf('user', row.requestedBy) ?? '',
    answer: row.answer,
    decidedBy: row.decidedBy,
    decidedAt: row.decidedAt?.toISOString() ?? null,
    rerate: progressOf(rerates.find(({ id }) => id === row.rerateId)),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }));
}

function progressOf(rerate: UsageRerate | undefined): rest.PriceCorrection['rerate'] {
  if (rerate === undefined) return null;
  return {
    id: rerate.id,
    status: rerate.status,
    records: Number(rerate.records),
    changed: Number(rerate.changed),
    differenceUsd: formatUsd(rerate.differenceNanoUsd),
  };
}

/** The fields in the audit trail. The re-rating has its own events. */
export function auditedFields({
  rerate,
  ...fields
}: rest.PriceCorrection): Readonly<Record<string, unknown>> {
  return { ...fields, rerateId: rerate?.id ?? null };
}
