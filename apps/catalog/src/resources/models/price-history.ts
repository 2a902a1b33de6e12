import { formatUsd, rest, restError } from '@tollgate/contracts';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

import { Price } from '../../entities/price.entity';
import type { Call } from '../../rest/call';
import { conflict, invalid } from '../../rest/field-errors';
import { idKey, readPage } from '../../rest/paging';
import { bookedIn, correctedPeriod } from './booked-in';
import { findModel } from './find-model';
import { insertPrice, representPrice, representPriceList, storedPriceList } from './prices';

/** The price history of a model: listed, extended, and corrected by a re-rating. */

/** Tolerance for a caller's clock. */
export const PAST_ALLOWED_MS = 5 * 60_000;

export async function listPrices(
  call: Call<typeof rest.listPrices>,
): Promise<rest.PageOf<rest.PricePeriod>> {
  const { query, db, nowMs } = call;
  const model = await findModel(call, call.params.modelId);
  const rows = db
    .createQueryBuilder(Price, 'price')
    .where('price.modelId = :modelId', { modelId: model.id });
  if (query.state !== undefined) {
    rows.andWhere(STATES[query.state], { now: new Date(nowMs) });
  }
  const page = await readPage(rows, {
    cursor: query.cursor,
    limit: query.limit,
    total: query.total,
    sort: query.sort ?? '-effectiveFrom',
    id: idKey<Price>('price.id'),
    keys: {
      effectiveFrom: {
        column: 'price.effectiveFrom',
        of: (row) => row.effectiveFrom.toISOString(),
        holds: 'instant',
      },
    },
  });
  const ends = await endsOf(db, page.rows);
  const data = page.rows.map((row) => representPeriod(row, ends.get(row.id) ?? null, nowMs));
  return { data, nextCursor: page.nextCursor, matching: page.matching };
}

const FOLLOWER = `SELECT FROM price f WHERE f.model_id = price.model_id
  AND f.effective_from > price.effective_from AND f.effective_from <= :now`;

const STATES: Readonly<Record<rest.PricePeriod['state'], string>> = {
  PAST: `price.effectiveFrom <= :now AND EXISTS (${FOLLOWER})`,
  CURRENT: `price.effectiveFrom <= :now AND NOT EXISTS (${FOLLOWER})`,
  SCHEDULED: 'price.effectiveFrom > :now',
};

function representPeriod(row: Price, until: Date | null, nowMs: number): rest.PricePeriod {
  const begun = row.effectiveFrom.getTime() <= nowMs;
  const over = until !== null && until.getTime() <= nowMs;
  return {
    ...representPrice(row),
    effectiveUntil: until?.toISOString() ?? null,
    state: !begun ? 'SCHEDULED' : over ? 'PAST' : 'CURRENT',
  };
}

const endRows = z.array(z.object({ id: z.string(), until: z.date().nullable() }));

/** The start of the model's next price. */
async function endsOf(
  db: EntityManager,
  rows: readonly Price[],
): Promise<Map<string, Date | null>> {
  const found = endRows.parse(
    await db.query(
      `SELECT p.id, (SELECT min(f.effective_from) FROM price f
          WHERE f.model_id = p.model_id AND f.effective_from > p.effective_from) AS until
       FROM price p WHERE p.id = ANY($1::uuid[])`,
      [rows.map((row) => row.id)],
    ),
  );
  return new Map(found.map(({ id, until }) => [id, until]));
}

export async function addPrice(call: Call<typeof rest.addPrice>): Promise<rest.Price> {
  const { db, organisation, body, nowMs } = call;
  const model = await findModel(call, call.params.modelId, true);
  assertNotPast('effectiveFrom', body.effectiveFrom, nowMs);
  const owner = { organisationId: organisation.id, modelId: model.id, createdBy: call.actor.id };
  const id = await insertPrice(db, owner, body, nowMs);
  const after = representPrice(await db.findOneByOrFail(Price, { id }));
  call.changed({
    action: 'price.create',
    organisationId: organisation.id,
    target: { type: 'price', id },
    after: { modelId: model.id, ...after },
    news: [{ kind: 'MODEL', organisationId: organisation.id }],
  });
  return after;
}

/** A price in effect stays, because requests were charged with it. */
export async function deletePrice(call: Call<typeof rest.deletePrice>): Promise<void> {
  const { db, organisation, nowMs } = call;
  const model = await findModel(call, call.params.modelId, true);
  const id = call.params.priceId;
  const row = await db.findOneBy(Price, { id, modelId: model.id });
  if (row === null) throw restError('not_found');
  if (row.effectiveFrom.getTime() <= nowMs) {
    throw conflict('effectiveFrom', 'this price is in effect; add a later one instead');
  }
  await db.delete(Price, { id });
  call.changed({
    action: 'price.delete',
    organisationId: organisation.id,
    target: { type: 'price', id },
    before: { modelId: model.id, ...representPrice(row) },
    news: [{ kind: 'MODEL', organisationId: organisation.id }],
  });
}

/**
 * Estimates from the hourly rollups what correcting a past price would affect, and returns the
 * re-rating to request. Changes nothing: only those who may correct bookings can run it.
 */
export async function offerCorrection(
  call: Call<typeof rest.offerCorrection>,
): Promise<rest.CorrectionOffer> {
  const { db, organisation, actor, body, nowMs } = call;
  const model = await findModel(call, call.params.modelId);
  const period = correctedPeriod(body, nowMs);
  const at = { organisationId: organisation.id, modelId: model.id };
  const { requests, chargedNanoUsd } = await bookedIn(db, at, period);
  return {
    requests: Number(requests),
    chargedUsd: formatUsd(chargedNanoUsd),
    rerate: {
      modelId: model.id,
      from: period.startsAt.toISOString(),
      to: period.endsAt.toISOString(),
      price: representPriceList(storedPriceList(body.price)),
    },
    mayApply: rest.can(actor.role, rest.createRerate.access as rest.Action),
  };
}

/** A price in the past would contradict the price that booked requests were charged with. */
export function assertNotPast(path: string, instant: string | undefined, nowMs: number): void {
  if (instant === undefined || Date.parse(instant) >= nowMs - PAST_ALLOWED_MS) return;
  throw invalid(
    path,
    'a price cannot begin in the past; ask `offerCorrection` for the re-rating that corrects what was booked',
  );
}
