import { rest } from '@tollgate/contracts';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

import { Model } from '../../entities/model.entity';
import { invalid } from '../../rest/field-errors';

/** The period of a price correction, and what was booked in it. */

const HOUR_MS = 3_600_000;

export interface Period {
  readonly startsAt: Date;
  readonly endsAt: Date;
}

/** Throws 422 for a period that no re-rating covers. Without an end it is until now. */
export function correctedPeriod(
  { from, to }: { readonly from: string; readonly to?: string | undefined },
  nowMs: number,
): Period {
  const [fromMs, toMs] = [Date.parse(from), to === undefined ? nowMs : Date.parse(to)];
  assertPast(toMs, nowMs);
  if (fromMs >= toMs) throw invalid('from', 'must be before `to`');
  if (toMs - fromMs > rest.RERATE_MAX_DAYS * 24 * HOUR_MS) {
    throw invalid('from', `the period must be at most ${rest.RERATE_MAX_DAYS} days long`);
  }
  return { startsAt: new Date(fromMs), endsAt: new Date(toMs) };
}

/** Throws 422 for a period that ends later than now. */
export function assertPast(toMs: number, nowMs: number): void {
  if (toMs <= nowMs) return;
  throw invalid('to', 'is in the future: add a future price to the model instead');
}

/** Throws 422 for an unknown model. Accepts deleted ones, which had prices too. */
export async function assertModel(
  db: EntityManager,
  where: { readonly id: string; readonly organisationId: string },
): Promise<void> {
  if (!(await db.existsBy(Model, where))) {
    throw invalid('modelId', 'no such model in this organisation');
  }
}

const totals = z.tuple([z.object({ requests: z.string(), nanoUsd: z.string() })]);

/** Requests of a model in the hours of a period, and their cost, from the hourly rollups. */
export async function bookedIn(
  db: EntityManager,
  { organisationId, modelId }: { readonly organisationId: string; readonly modelId: string },
  { startsAt, endsAt }: Period,
): Promise<{ requests: bigint; chargedNanoUsd: bigint }> {
  const firstHour = new Date(startsAt.getTime() - (startsAt.getTime() % HOUR_MS));
  const [{ requests, nanoUsd }] = totals.parse(
    await db.query(
      `SELECT coalesce(sum(requests), 0)::text AS requests,
         coalesce(sum(cost_nano_usd), 0)::text AS "nanoUsd"
       FROM usage WHERE organisation_id = $1 AND model_id = $2 AND hour >= $3 AND hour < $4`,
      [organisationId, modelId, firstHour, endsAt],
    ),
  );
  return { requests: BigInt(requests), chargedNanoUsd: BigInt(nanoUsd) };
}
