import { rest, restError } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';
import type { EntityManager, SelectQueryBuilder } from 'typeorm';

import { Model } from '../../entities/model.entity';
import type { Call } from '../../rest/call';
import { conflict, invalid } from '../../rest/field-errors';
import { lockOrganisation } from '../../rest/lock-organisation';
import { idKey, readByAge } from '../../rest/paging';
import { bookedIn, correctedPeriod } from '../models/booked-in';
import { storedPriceList } from '../models/prices';
import { PriceCorrection } from './price-correction.entity';
import { represent, toldOf } from './represent';

/** Price corrections, as an organisation asks for them and follows them. Operators decide in `decide.ts`. */

type Page = Promise<{ data: rest.PriceCorrection[]; nextCursor: string | null }>;
type ListCall = Pick<Call<typeof rest.listPriceCorrections>, 'db' | 'query'>;

export function list(call: Call<typeof rest.listPriceCorrections>): Page {
  return pageOf(
    call,
    rowsOf(call.db).where('correction.organisationId = :organisationId', {
      organisationId: call.organisation.id,
    }),
  );
}

export function listOfPlatform(call: Call<typeof rest.listPlatformPriceCorrections>): Page {
  return pageOf(call, rowsOf(call.db).where('TRUE'));
}

function rowsOf(db: EntityManager): SelectQueryBuilder<PriceCorrection> {
  return db.createQueryBuilder(PriceCorrection, 'correction');
}

async function pageOf({ db, query }: ListCall, rows: SelectQueryBuilder<PriceCorrection>): Page {
  if (query.status !== undefined) rows.andWhere('correction.status = :status', query);
  const page = await readByAge(rows, query, idKey<PriceCorrection>('correction.id'));
  return { data: await represent(db, page.rows), nextCursor: page.nextCursor };
}

export async function create(
  call: Call<typeof rest.createPriceCorrection>,
): Promise<rest.PriceCorrection> {
  const { body, db, organisation, actor, nowMs } = call;
  const organisationId = organisation.id;
  const period = correctedPeriod(body, nowMs);
  // Includes deleted models, which had prices too.
  if (!(await db.existsBy(Model, { id: body.modelId, organisationId }))) {
    throw invalid('modelId', 'no such model in this organisation');
  }
  await lockOrganisation(db, 'price-corrections', organisationId);
  const open = await db.countBy(PriceCorrection, { organisationId, status: 'OPEN' });
  if (open >= rest.PRICE_CORRECTIONS_OPEN) {
    const most = String(rest.PRICE_CORRECTIONS_OPEN);
    throw conflict(
      'status',
      `an organisation has at most ${most} open price corrections; withdraw one first`,
    );
  }
  const id = uuidv7();
  await db.insert(PriceCorrection, {
    id,
    organisationId,
    modelId: body.modelId,
    ...period,
    ...storedPriceList(body.price),
    reason: body.reason,
    ...(await bookedIn(db, { organisationId, modelId: body.modelId }, period)),
    requestedBy: actor.id,
  });
  const after = await find(call, id);
  call.changed({
    action: 'price-correction.create',
    organisationId,
    target: { type: 'price-correction', id },
    after: toldOf(after),
  });
  return after;
}

export function get(call: Call<typeof rest.getPriceCorrection>): Promise<rest.PriceCorrection> {
  return find(call, call.params.priceCorrectionId);
}

/** Deletes it; the audit trail keeps what it was. */
export async function withdraw(call: Call<typeof rest.withdrawPriceCorrection>): Promise<void> {
  const { db, organisation } = call;
  const id = call.params.priceCorrectionId;
  const before = await find(call, id, true);
  call.expectMatch(before);
  assertOpen(before);
  await db.delete(PriceCorrection, { id });
  call.changed({
    action: 'price-correction.withdraw',
    organisationId: organisation.id,
    target: { type: 'price-correction', id },
    before: toldOf(before),
  });
}

async function find(
  { db, organisation }: Pick<Call, 'db' | 'organisation'>,
  id: string,
  lock = false,
): Promise<rest.PriceCorrection> {
  const row = await db.findOne(PriceCorrection, {
    where: { id, organisationId: organisation.id },
    ...(lock ? { lock: { mode: 'pessimistic_write' as const } } : {}),
  });
  const [found] = await represent(db, row === null ? [] : [row]);
  if (found === undefined) throw restError('not_found');
  return found;
}

export function assertOpen({ status }: Pick<rest.PriceCorrection, 'status'>): void {
  if (status !== 'OPEN') throw conflict('status', 'this price correction is decided already');
}
