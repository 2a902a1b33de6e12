import { formatUsd, type rest } from '@tollgate/contracts';
import { In, type EntityManager } from 'typeorm';

import { Model } from '../../entities/model.entity';
import { User } from '../../entities/user.entity';
import { UsageRerate } from '../../ledger/re-rating/usage-rerate.entity';
import { representPriceList } from '../models/prices';
import type { PriceCorrection } from './price-correction.entity';

/** Price corrections as they are answered, with the names of their models and users and the state of their re-ratings. */
export async function represent(
  db: EntityManager,
  rows: readonly PriceCorrection[],
): Promise<rest.PriceCorrection[]> {
  if (rows.length === 0) return [];
  const distinct = (ids: readonly (string | null)[]): string[] => [
    ...new Set(ids.filter((id) => id !== null)),
  ];
  const models = await db.find(Model, {
    where: { id: In(distinct(rows.map(({ modelId }) => modelId))) },
    select: { id: true, name: true },
  });
  const users = await db.find(User, {
    where: { id: In(distinct(rows.map(({ requestedBy }) => requestedBy))) },
    select: { id: true, name: true },
  });
  const rerates = await db.findBy(UsageRerate, {
    id: In(distinct(rows.map(({ rerateId }) => rerateId))),
  });
  const nameOf = (named: readonly { id: string; name: string }[], id: string): string =>
    named.find((one) => one.id === id)?.name ?? '';
  return rows.map((row) => ({
    id: row.id,
    organisationId: row.organisationId,
    modelId: row.modelId,
    modelName: nameOf(models, row.modelId),
    from: row.startsAt.toISOString(),
    to: row.endsAt.toISOString(),
    price: representPriceList(row),
    reason: row.reason,
    requests: Number(row.requests),
    chargedUsd: formatUsd(row.chargedNanoUsd),
    status: row.status,
    requestedBy: row.requestedBy,
    requestedByName: nameOf(users, row.requestedBy),
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

/** What the audit trail has of it. The re-rating has events of its own. */
export function toldOf({
  rerate,
  ...told
}: rest.PriceCorrection): Readonly<Record<string, unknown>> {
  return { ...told, rerateId: rerate?.id ?? null };
}
