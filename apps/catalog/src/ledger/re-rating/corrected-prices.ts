import { percentToWire, priceFromWire, type Price, type TierPercent } from '@tollgate/contracts';

import type { Tx } from '../../db';
import type { StoredPriceStep } from '../../entities/price.entity';
import type { BookedRequest } from '../records/booked-request';

/** A price for a model in [startsMs, endsMs) that overrides the price in effect then. */
export interface CorrectedPrice {
  modelId: string;
  startsMs: number;
  endsMs: number;
  price: Price;
}

interface StoredPrice {
  id: string;
  steps: StoredPriceStep[];
  per_request_nano_usd: bigint;
  per_unit_nano_usd: Record<string, string>;
  tier_percent: TierPercent;
}
type StoredCorrection = StoredPrice & { model_id: string; starts_at: Date; ends_at: Date };

const LIST = 'id, steps, per_request_nano_usd, per_unit_nano_usd, tier_percent';

/** The corrected prices that a re-rating applies, newest first. The first match applies. */
export async function findCorrectedPrices(
  tx: Tx,
  rerate: {
    id: string;
    organisation_id: string;
    model_id: string | null;
    starts_at: Date;
    ends_at: Date;
  },
): Promise<CorrectedPrice[]> {
  const { rows } = await tx.query<StoredCorrection>({
    name: 'ledger-corrected-prices',
    text: `SELECT ${LIST}, model_id, starts_at, ends_at FROM usage_rerate
      WHERE organisation_id = $1 AND steps IS NOT NULL AND (NOT dry_run OR id = $2)
        AND ($3::uuid IS NULL OR model_id = $3) AND starts_at < $5 AND ends_at > $4
      ORDER BY created_at DESC, id DESC`,
    values: [
      rerate.organisation_id,
      rerate.id,
      rerate.model_id,
      rerate.starts_at.toISOString(),
      rerate.ends_at.toISOString(),
    ],
  });
  return rows.map((row) => ({
    modelId: row.model_id,
    startsMs: row.starts_at.getTime(),
    endsMs: row.ends_at.getTime(),
    price: priceOf(row),
  }));
}

export function correctedPriceOf(
  prices: readonly CorrectedPrice[],
  { dimensions, authorisedAtMs }: BookedRequest,
): Price | undefined {
  return prices.find(
    ({ modelId, startsMs, endsMs }) =>
      modelId === dimensions.modelId && startsMs <= authorisedAtMs && authorisedAtMs < endsMs,
  )?.price;
}

/** The prices at which these requests were charged. */
export async function findOwnPrices(
  tx: Tx,
  organisationId: string,
  bookedRequests: readonly BookedRequest[],
): Promise<Map<string, Price>> {
  const ids = [...new Set(bookedRequests.flatMap(({ priceId }) => priceId ?? []))];
  if (ids.length === 0) return new Map();
  const { rows } = await tx.query<StoredPrice>({
    name: 'ledger-own-prices',
    text: `SELECT ${LIST} FROM price WHERE id = ANY($1::uuid[]) AND organisation_id = $2`,
    values: [ids, organisationId],
  });
  return new Map(rows.map((row) => [row.id, priceOf(row)]));
}

function priceOf(row: StoredPrice): Price {
  return priceFromWire({
    priceId: row.id,
    steps: row.steps,
    perRequestNanoUsd: row.per_request_nano_usd.toString(),
    perUnitNanoUsd: row.per_unit_nano_usd,
    tierPercent: percentToWire(row.tier_percent),
  });
}
