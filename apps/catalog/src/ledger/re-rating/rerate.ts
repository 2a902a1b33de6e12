import { shardOf, windowAt } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';
import type { Pool } from 'pg';

import { inTransaction, isDatabaseAway, type Tx } from '../../db';
import { appendOutbox } from '../../outbox';
import { bookAdjustments } from '../adjustments/adjustments';
import {
  costOnly,
  findBookedRequests,
  statusOf,
  type BookedRequest,
} from '../records/booked-request';
import { AMOUNTS_ONLY, type Adjustment } from '../records/bookings';
import { lockShard } from '../records/shards';
import { correctedPriceOf, findCorrectedPrices, findOwnPrices } from './corrected-prices';
import { rateAgain, type Verdict } from './rate-again';
import type { StoredMonths } from './usage-rerate.entity';

/** A row of `usage_rerate` that is not done yet. */
interface Rerate {
  id: string;
  organisation_id: string;
  time_zone: string;
  model_id: string | null;
  starts_at: Date;
  ends_at: Date;
  dry_run: boolean;
  reason: string;
  after_at: Date | null;
  after_id: string | null;
  months: StoredMonths;
  created_by: string;
}

interface Rated {
  bookedRequest: BookedRequest;
  verdict: Verdict;
  priceId: string;
}

/** Records for each lock of the shard's row, so that bookings are served in between. */
const BATCH = 1_000;
/** A re-rating fails for good after this many consecutive failures. */
const MAX_FAILURES = 5;

export type RerateOutcome = 'IDLE' | 'MOVED' | 'FAILED';

/**
 * Processes one batch of the oldest open re-rating. Adjustments and progress are committed
 * together, so a killed run continues where it stopped. Adjustments already booked count as
 * charged, so processing a record twice changes nothing. Replicas may run it concurrently.
 */
export async function rerateBatch(pool: Pool, batch = BATCH): Promise<RerateOutcome> {
  let taken: string | undefined;
  try {
    return await inTransaction(pool, async (tx) => {
      const rerate = await takeRerate(tx);
      if (rerate === undefined) return 'IDLE';
      taken = rerate.id;
      await rerateNext(tx, rerate, batch);
      return 'MOVED';
    });
  } catch (error) {
    if (taken === undefined || isDatabaseAway(error)) throw error;
    await noteFailure(pool, taken, error);
    return 'FAILED';
  }
}

async function takeRerate(tx: Tx): Promise<Rerate | undefined> {
  const { rows } = await tx.query<Rerate>(
    `SELECT r.id, r.organisation_id, o.time_zone, r.model_id, r.starts_at, r.ends_at, r.dry_run,
       r.reason, r.after_at, r.after_id, r.months, r.created_by
     FROM usage_rerate r JOIN organisation o ON o.id = r.organisation_id
     WHERE r.status IN ('PENDING', 'RUNNING')
     ORDER BY r.updated_at, r.id LIMIT 1 FOR UPDATE OF r SKIP LOCKED`,
  );
  return rows[0];
}

async function rerateNext(tx: Tx, rerate: Rerate, batch: number): Promise<void> {
  const { organisation_id: organisationId } = rerate;
  const prices = await findCorrectedPrices(tx, rerate);
  const models = [...new Set(prices.map(({ modelId }) => modelId))];
  const places = await nextRecords(tx, rerate, models, batch);
  if (!rerate.dry_run) await lockShard(tx, shardOf(organisationId));
  const bookedRequests = await findBookedRequests(
    tx,
    organisationId,
    places.map(({ id }) => id),
  );
  const own = await findOwnPrices(tx, organisationId, bookedRequests);
  const rated = bookedRequests.flatMap((bookedRequest): Rated[] => {
    const corrected = correctedPriceOf(prices, bookedRequest);
    if (corrected === undefined) return [];
    const { priceId } = corrected;
    const paid = bookedRequest.priceId === null ? undefined : own.get(bookedRequest.priceId);
    const unknown = bookedRequest.priceId !== null && paid === undefined;
    const verdict = unknown
      ? ({ kind: 'OTHERWISE' } as const)
      : rateAgain(bookedRequest, paid, corrected);
    return [{ bookedRequest, verdict, priceId }];
  });
  const differing = rated.filter(({ verdict }) => verdict.kind === 'DIFFERS');
  const last = places.length < batch ? null : (places.at(-1) ?? null);
  await noteProgress(tx, rerate, rated, last);
  if (last === null) await noteEnd(tx, rerate);
  if (rerate.dry_run || differing.length === 0) return;
  const adjustments = differing.map((one) => adjustmentOf(rerate, one));
  await appendOutbox(tx, await bookAdjustments(tx, organisationId, adjustments));
}

interface Place {
  id: string;
  authorised_at: Date;
}

/** Late usage may name another model than the record, so both are searched. */
async function nextRecords(
  tx: Tx,
  rerate: Rerate,
  modelIds: readonly string[],
  limit: number,
): Promise<Place[]> {
  if (modelIds.length === 0) return [];
  const { rows } = await tx.query<Place>({
    name: 'ledger-rerate-records',
    text: `SELECT id, authorised_at FROM usage_record
      WHERE organisation_id = $1 AND authorised_at >= $2 AND authorised_at < $3
        AND ($4::timestamptz IS NULL OR (authorised_at, id) > ($4, $5::uuid))
        AND (model_id = ANY($6::uuid[]) OR mode = 'ABANDONED')
      ORDER BY authorised_at, id LIMIT $7`,
    values: [
      rerate.organisation_id,
      rerate.starts_at.toISOString(),
      rerate.ends_at.toISOString(),
      rerate.after_at?.toISOString() ?? null,
      rerate.after_id,
      modelIds,
      limit,
    ],
  });
  return rows;
}

function adjustmentOf(rerate: Rerate, { bookedRequest, verdict, priceId }: Rated): Adjustment {
  return {
    ...AMOUNTS_ONLY,
    requestId: bookedRequest.requestId,
    kind: 'RERATE',
    reason: rerate.reason,
    createdBy: rerate.created_by,
    priceId,
    dimensions: bookedRequest.dimensions,
    operation: bookedRequest.operation,
    status: statusOf(bookedRequest),
    authorisedAtMs: bookedRequest.authorisedAtMs,
    timeZone: rerate.time_zone,
    bookedZone: bookedRequest.bookedZone,
    amounts: costOnly(differenceOf(verdict)),
  };
}

function differenceOf(verdict: Verdict): bigint {
  return verdict.kind === 'DIFFERS' ? verdict.differenceNanoUsd : 0n;
}

/** `place` is null when the whole period has been processed. */
async function noteProgress(
  tx: Tx,
  rerate: Rerate,
  rated: readonly Rated[],
  last: Place | null,
): Promise<void> {
  const count = (kind: Verdict['kind']): number =>
    rated.filter(({ verdict }) => verdict.kind === kind).length;
  await tx.query(
    `UPDATE usage_rerate SET status = $2, after_at = coalesce($3, after_at),
       after_id = coalesce($4, after_id), records = records + $5, changed = changed + $6,
       held = held + $7, otherwise_charged = otherwise_charged + $8,
       difference_nano_usd = difference_nano_usd + $9, months = $10, failures = 0, error = NULL,
       updated_at = clock_timestamp(), finished_at = CASE WHEN $2 = 'DONE' THEN now() END
     WHERE id = $1`,
    [
      rerate.id,
      last === null ? 'DONE' : 'RUNNING',
      last?.authorised_at.toISOString() ?? null,
      last?.id ?? null,
      rated.length,
      count('DIFFERS'),
      count('HELD'),
      count('OTHERWISE'),
      rated.reduce((sum, { verdict }) => sum + differenceOf(verdict), 0n),
      JSON.stringify(addMonths(rerate, rated)),
    ],
  );
}

function addMonths({ months, time_zone }: Rerate, rated: readonly Rated[]): StoredMonths {
  const sums = new Map(Object.entries(months));
  for (const { bookedRequest, verdict } of rated) {
    if (verdict.kind !== 'DIFFERS') continue;
    const { startMs } = windowAt({ period: 'MONTHLY' }, bookedRequest.authorisedAtMs, time_zone);
    const { records, nanoUsd } = sums.get(String(startMs)) ?? { records: 0, nanoUsd: '0' };
    sums.set(String(startMs), {
      records: records + 1,
      nanoUsd: (BigInt(nanoUsd) + verdict.differenceNanoUsd).toString(),
    });
  }
  return Object.fromEntries(sums);
}

async function noteEnd(tx: Tx, rerate: Rerate): Promise<void> {
  await tx.query(
    `INSERT INTO audit_event (id, organisation_id, actor_kind, action, target_type, target_id, details)
     SELECT $1, organisation_id, 'SYSTEM', 'rerate.finish', 'usage_rerate', id::text,
       jsonb_build_object('after', jsonb_build_object('dryRun', dry_run, 'records', records,
         'changed', changed, 'differenceNanoUsd', difference_nano_usd::text))
     FROM usage_rerate WHERE id = $2`,
    [uuidv7(), rerate.id],
  );
}

async function noteFailure(pool: Pool, id: string, error: unknown): Promise<void> {
  const message = error instanceof Error ? error.message : String(error);
  await pool.query(
    `UPDATE usage_rerate SET failures = failures + 1, error = $2, updated_at = clock_timestamp(),
       status = CASE WHEN failures + 1 >= $3 THEN 'FAILED' ELSE status END,
       finished_at = CASE WHEN failures + 1 >= $3 THEN now() END
     WHERE id = $1 AND status IN ('PENDING', 'RUNNING')`,
    [id, message.replaceAll('\0', '').slice(0, 1_000), MAX_FAILURES],
  );
}
