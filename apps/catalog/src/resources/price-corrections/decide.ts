import { restError, type rest } from '@tollgate/contracts';

import type { Call } from '../../rest/call';
import { startRerate } from '../usage/rerates';
import { PriceCorrection } from './price-correction.entity';
import { assertOpen } from './price-corrections';
import { represent, toldOf } from './represent';

/** Operators decide about price corrections. An approved one is carried out by a re-rating, in the same transaction. */

type Deciding = Pick<Call, 'db' | 'actor' | 'nowMs' | 'changed' | 'expectMatch'> & {
  readonly params: { readonly priceCorrectionId: string };
};

export async function approve(
  call: Call<typeof rest.approvePriceCorrection>,
): Promise<rest.PriceCorrection> {
  const before = await findOpen(call);
  const { organisationId, modelId, from, to, reason } = before.told;
  const { steps, perRequestNanoUsd, perUnitNanoUsd } = before.row;
  const rerate = await startRerate(call, {
    organisationId,
    modelId,
    startsAt: new Date(from),
    endsAt: new Date(to),
    steps,
    perRequestNanoUsd,
    perUnitNanoUsd,
    dryRun: false,
    reason,
  });
  return decide(call, before, {
    status: 'APPROVED',
    answer: call.body.answer ?? null,
    rerateId: rerate.id,
  });
}

export async function decline(
  call: Call<typeof rest.declinePriceCorrection>,
): Promise<rest.PriceCorrection> {
  const before = await findOpen(call);
  return decide(call, before, { status: 'DECLINED', answer: call.body.answer, rerateId: null });
}

interface Open {
  readonly row: PriceCorrection;
  readonly told: rest.PriceCorrection;
}

async function findOpen(call: Deciding): Promise<Open> {
  const { db, params } = call;
  const row = await db.findOne(PriceCorrection, {
    where: { id: params.priceCorrectionId },
    lock: { mode: 'pessimistic_write' },
  });
  const [told] = await represent(db, row === null ? [] : [row]);
  if (row === null || told === undefined) throw restError('not_found');
  call.expectMatch(told);
  assertOpen(told);
  return { row, told };
}

async function decide(
  call: Deciding,
  { row, told: before }: Open,
  outcome: Pick<PriceCorrection, 'status' | 'answer' | 'rerateId'>,
): Promise<rest.PriceCorrection> {
  const { db, actor } = call;
  const now = new Date(call.nowMs);
  const decided = { ...outcome, decidedBy: actor.id, decidedAt: now, updatedAt: now };
  await db.update(PriceCorrection, { id: row.id }, decided);
  const [after] = await represent(db, await db.findBy(PriceCorrection, { id: row.id }));
  if (after === undefined) throw restError('not_found');
  call.changed({
    action: outcome.status === 'APPROVED' ? 'price-correction.approve' : 'price-correction.decline',
    organisationId: row.organisationId,
    target: { type: 'price-correction', id: row.id },
    before: toldOf(before),
    after: toldOf(after),
  });
  return after;
}
