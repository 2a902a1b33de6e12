import type { rest } from '@tollgate/contracts';

import type { Call } from '../../rest/call';
import { startRerate } from '../usage/rerates';
import { assertOpen, findCorrection, type FoundCorrection } from './find-correction';
import { PriceCorrection } from './price-correction.entity';
import { auditedFields } from './represent';

/** Operators decide about price corrections. An approved one is carried out by a re-rating, in the same transaction. */

type Deciding = Pick<Call, 'db' | 'actor' | 'nowMs' | 'changed' | 'expectMatch'> & {
  readonly params: { readonly priceCorrectionId: string };
};

export async function approve(
  call: Call<typeof rest.approvePriceCorrection>,
): Promise<rest.PriceCorrection> {
  const before = await findOpen(call);
  const { organisationId, modelId, startsAt, endsAt, reason } = before.row;
  const { steps, perRequestNanoUsd, perUnitNanoUsd, tierPercent } = before.row;
  const rerate = await startRerate(call, {
    organisationId,
    modelId,
    startsAt,
    endsAt,
    steps,
    perRequestNanoUsd,
    perUnitNanoUsd,
    tierPercent,
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

async function findOpen(call: Deciding): Promise<FoundCorrection> {
  const found = await findCorrection(
    call.db,
    { id: call.params.priceCorrectionId },
    { lock: true },
  );
  call.expectMatch(found.represented);
  assertOpen(found.represented);
  return found;
}

async function decide(
  call: Deciding,
  { row, represented: before }: FoundCorrection,
  outcome: Pick<PriceCorrection, 'status' | 'answer' | 'rerateId'>,
): Promise<rest.PriceCorrection> {
  const { db, actor } = call;
  const now = new Date(call.nowMs);
  const decided = { ...outcome, decidedBy: actor.id, decidedAt: now, updatedAt: now };
  await db.update(PriceCorrection, { id: row.id }, decided);
  const { represented: after } = await findCorrection(db, { id: row.id });
  call.changed({
    action: outcome.status === 'APPROVED' ? 'price-correction.approve' : 'price-correction.decline',
    organisationId: row.organisationId,
    target: { type: 'price-correction', id: row.id },
    before: auditedFields(before),
    after: auditedFields(after),
  });
  return after;
}
