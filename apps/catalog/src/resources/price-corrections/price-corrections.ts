import { rest } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';
import type { EntityManager, SelectQueryBuilder } from 'typeorm';

import type { Call } from '../../rest/call';
import { conflict } from '../../rest/field-errors';
import { lockOrganisation } from '../../rest/lock-organisation';
import { idKey, readByAge } from '../../rest/paging';
import { assertModel, bookedIn, correctedPeriod } from '../models/booked-in';
import { storedPriceList } from '../models/prices';
import { assertOpen, findCorrection } from './find-correction';
import { PriceCorrection } from './price-correction.entity';
import { auditedFields, represent } from './represent';

/** Price corrections, as an organisation asks for them and follows them. Operators decide in `decide.ts`. */

type Page = Promise<rest.PageOf<rest.PriceCorrection>>;
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
  return {
    data: await represent(db, page.rows),
    nextCursor: page.nextCursor,
    matching: page.matching,
  };
}

export async function create(
  call: Call<typeof rest.createPriceCorrection>,
): Promise<rest.PriceCorrection> {
  const { body, db, organisation, actor, nowMs } = call;
  const organisationId = organisation.id;
  const period = correctedPeriod(body, nowMs);
  await assertModel(db, { id: body.modelId, organisationId });
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
  const { represented: after } = await findCorrection(db, { id, organisationId });
  call.changed({
    action: 'price-correction.create',
    organisationId,
    target: { type: 'price-correction', id },
    after: auditedFields(after),
  });
  return after;
}

export async function get({
  db,
  organisation,
  params,
}: Call<typeof rest.getPriceCorrection>): Promise<rest.PriceCorrection> {
  const where = { id: params.priceCorrectionId, organisationId: organisation.id };
  return (await findCorrection(db, where)).represented;
}

/** Deletes it; the audit trail keeps what it was. */
export async function withdraw(call: Call<typeof rest.withdrawPriceCorrection>): Promise<void> {
  const { db, organisation } = call;
  const id = call.params.priceCorrectionId;
  const where = { id, organisationId: organisation.id };
  const { represented: before } = await findCorrection(db, where, { lock: true });
  call.expectMatch(before);
  assertOpen(before);
  await db.delete(PriceCorrection, { id });
  call.changed({
    action: 'price-correction.withdraw',
    organisationId: organisation.id,
    target: { type: 'price-correction', id },
    before: auditedFields(before),
  });
}
