import { formatUsd, restError, type rest } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';
import { In, type EntityManager } from 'typeorm';

import { Organisation } from '../../entities/organisation.entity';
import { UsageRerate } from '../../ledger/re-rating/usage-rerate.entity';
import type { Call } from '../../rest/call';
import { conflict } from '../../rest/field-errors';
import { idKey, readByAge } from '../../rest/paging';
import { assertModel, assertPast } from '../models/booked-in';
import { representPriceList, storedPriceList } from '../models/prices';

/** Re-ratings, as operators request and follow them; the ledger runs them. */

export async function create(call: Call<typeof rest.createRerate>): Promise<rest.Rerate> {
  const { db, body, nowMs } = call;
  const { organisationId } = call.params;
  await assertOrganisation(db, organisationId);
  assertPast(Date.parse(body.to), nowMs);
  const { modelId = null } = body;
  if (modelId !== null) await assertModel(db, { id: modelId, organisationId });
  const none = { steps: null, perRequestNanoUsd: null, perUnitNanoUsd: null, tierPercent: {} };
  return startRerate(call, {
    organisationId,
    modelId,
    startsAt: new Date(body.from),
    endsAt: new Date(body.to),
    ...(body.price === undefined ? none : storedPriceList(body.price)),
    dryRun: body.dryRun,
    reason: body.reason,
  });
}

type NewRerate = Pick<
  UsageRerate,
  | 'organisationId'
  | 'modelId'
  | 'startsAt'
  | 'endsAt'
  | 'steps'
  | 'perRequestNanoUsd'
  | 'perUnitNanoUsd'
  | 'tierPercent'
  | 'dryRun'
  | 'reason'
>;

/** Starts a re-rating. Throws 409 while another one of the organisation runs. */
export async function startRerate(
  call: Pick<Call, 'db' | 'actor' | 'changed'>,
  rerate: NewRerate,
): Promise<rest.Rerate> {
  const { db, actor } = call;
  const { organisationId } = rerate;
  if (await db.existsBy(UsageRerate, { organisationId, status: In(['PENDING', 'RUNNING']) })) {
    throw conflict('organisationId', 'another re-rating of the organisation is running');
  }
  const id = uuidv7();
  await db.insert(UsageRerate, { ...rerate, id, createdBy: actor.id });
  const after = represent(await db.findOneByOrFail(UsageRerate, { id }));
  const { modelId, from, to, price, dryRun, reason } = after;
  call.changed({
    action: 'rerate.create',
    organisationId,
    target: { type: 'usage_rerate', id },
    after: { modelId, from, to, price, dryRun, reason },
  });
  return after;
}

export async function list(call: Call<typeof rest.listRerates>): Promise<rest.PageOf<rest.Rerate>> {
  const { query, db } = call;
  const { organisationId } = call.params;
  await assertOrganisation(db, organisationId);
  const rows = db
    .createQueryBuilder(UsageRerate, 'rerate')
    .where('rerate.organisationId = :organisationId', { organisationId });
  if (query.status !== undefined) rows.andWhere('rerate.status = :status', query);
  const page = await readByAge(rows, query, idKey<UsageRerate>('rerate.id'));
  return { data: page.rows.map(represent), nextCursor: page.nextCursor, matching: page.matching };
}

export async function get(call: Call<typeof rest.getRerate>): Promise<rest.Rerate> {
  const { organisationId, rerateId: id } = call.params;
  const row = await call.db.findOneBy(UsageRerate, { id, organisationId });
  if (row === null) throw restError('not_found');
  return represent(row);
}

async function assertOrganisation(db: EntityManager, id: string): Promise<void> {
  if (!(await db.existsBy(Organisation, { id }))) throw restError('not_found');
}

function represent(row: UsageRerate): rest.Rerate {
  return {
    id: row.id,
    organisationId: row.organisationId,
    modelId: row.modelId,
    from: row.startsAt.toISOString(),
    to: row.endsAt.toISOString(),
    price: priceOf(row),
    dryRun: row.dryRun,
    reason: row.reason,
    status: row.status,
    records: Number(row.records),
    changed: Number(row.changed),
    held: Number(row.held),
    otherwiseCharged: Number(row.otherwiseCharged),
    differenceUsd: formatUsd(row.differenceNanoUsd),
    months: Object.entries(row.months)
      .toSorted(([a], [b]) => Number(a) - Number(b))
      .map(([startMs, { records, nanoUsd }]) => ({
        start: new Date(Number(startMs)).toISOString(),
        records,
        differenceUsd: formatUsd(BigInt(nanoUsd)),
      })),
    error: row.error,
    createdBy: row.createdBy,
    createdAt: row.createdAt.toISOString(),
    finishedAt: row.finishedAt?.toISOString() ?? null,
  };
}

function priceOf(rerate: UsageRerate): rest.PriceList | null {
  const { steps, perRequestNanoUsd, perUnitNanoUsd, tierPercent } = rerate;
  if (steps === null || perRequestNanoUsd === null || perUnitNanoUsd === null) return null;
  return representPriceList({ steps, perRequestNanoUsd, perUnitNanoUsd, tierPercent });
}
