import type { Pool } from 'pg';

import type { BillLine } from '../gateway/books';
import type { Answer } from './load';

// Compares the books with the callers' answers and with the upstream's own bill.

export interface BookedRequest {
  readonly id: string;
  readonly responseId: string | null;
  readonly mode: 'SETTLED' | 'ABANDONED';
  readonly exact: boolean;
  /** Late truth has replaced the charged hold. */
  readonly corrected: boolean;
  readonly nanoUsd: bigint;
  readonly shortfallNanoUsd: bigint;
}

export interface Judgement {
  /** Requests with a complete answer or a line of the bill, but without a record. */
  readonly lost: number;
  readonly lostNanoUsd: bigint;
  /** The gateway's request id, and the upstream's answer id. */
  readonly lostIds: readonly string[];
  /** Records that name the same answer as another record. */
  readonly duplicates: number;
  readonly abandoned: number;
  /** Complete answers booked with the usage that the upstream reported. */
  readonly compared: number;
  /** Requests booked with a different amount than the bill has for their usage. */
  readonly differing: number;
  /** Books minus bill, over the requests whose usage the upstream reported. */
  readonly differenceNanoUsd: bigint;
  /** The requests whose usage the gateway counted, and books minus bill over those. */
  readonly estimated: number;
  readonly estimatedDifferenceNanoUsd: bigint;
  readonly spentNanoUsd: bigint;
  readonly shortfallNanoUsd: bigint;
}

export async function readBooks(pool: Pool, organisationId: string): Promise<BookedRequest[]> {
  const { rows } = await pool.query<{
    id: string;
    response_id: string | null;
    mode: 'SETTLED' | 'ABANDONED';
    usage_quality: string;
    corrected: boolean;
    cost: string;
    shortfall: string;
  }>(
    `SELECT r.id, r.response_id, r.mode, r.usage_quality, a.id IS NOT NULL AS corrected,
        r.cost_nano_usd + coalesce(a.cost, 0) AS cost, r.estimate_shortfall_nano_usd AS shortfall
      FROM usage_record r
      LEFT JOIN (
        SELECT request_id AS id, sum(cost_nano_usd) AS cost FROM usage_adjustment
          WHERE organisation_id = $1 GROUP BY request_id
      ) a ON a.id = r.id
      WHERE r.organisation_id = $1`,
    [organisationId],
  );
  return rows.map((row) => ({
    id: row.id,
    responseId: row.response_id === '' ? null : row.response_id,
    mode: row.mode,
    exact: row.usage_quality === 'EXACT',
    corrected: row.corrected,
    nanoUsd: BigInt(row.cost),
    shortfallNanoUsd: BigInt(row.shortfall),
  }));
}

export function judge(
  answers: readonly Answer[],
  books: readonly BookedRequest[],
  bill: readonly BillLine[],
): Judgement {
  const ids = new Set(books.map(({ id }) => id));
  const exactIds = new Set(books.filter(({ exact }) => exact).map(({ id }) => id));
  const lines = new Map(bill.map((line) => [line.id, line]));
  const named = new Map<string, number>();
  let differing = 0;
  let difference = 0n;
  let estimated = 0;
  let estimatedDifference = 0n;
  // An abandoned request is charged its whole hold, and its line of the bill is unknown.
  const abandoned = books.filter(({ mode, corrected }) => mode === 'ABANDONED' && !corrected);
  for (const { responseId, exact, nanoUsd } of books) {
    if (responseId === null) continue;
    named.set(responseId, (named.get(responseId) ?? 0) + 1);
    const line = lines.get(responseId);
    lines.delete(responseId);
    const billed = line?.nanoUsd ?? 0n;
    if (exact) {
      difference += nanoUsd - billed;
      if (nanoUsd !== billed) differing += 1;
    } else {
      estimated += 1;
      estimatedDifference += nanoUsd - billed;
    }
  }
  // Late truth has a request's cost and not its answer, so any line of that amount may be its own.
  for (const { nanoUsd } of books.filter((one) => one.corrected && one.responseId === null)) {
    const same = [...lines.values()].find((line) => line.nanoUsd === nanoUsd);
    if (same !== undefined) lines.delete(same.id);
  }
  const unnamed = [...lines.values()].sort((a, b) => Number(a.nanoUsd - b.nanoUsd));
  const lost = unnamed.slice(0, Math.max(0, unnamed.length - abandoned.length));
  const whole = answers.filter(({ status, complete }) => status === 200 && complete);
  const missing = whole.map(({ requestId }) => requestId).filter((id) => !ids.has(id));
  return {
    lost: Math.max(missing.length, lost.length),
    lostIds: [...missing, ...lost.map(({ id }) => id)],
    lostNanoUsd: lost.reduce((sum, line) => sum + line.nanoUsd, 0n),
    duplicates: [...named.values()].reduce((sum, times) => sum + times - 1, 0),
    abandoned: abandoned.length,
    compared: whole.filter(({ requestId }) => exactIds.has(requestId)).length,
    differing,
    differenceNanoUsd: difference,
    estimated,
    estimatedDifferenceNanoUsd: estimatedDifference,
    spentNanoUsd: books.reduce((sum, { nanoUsd }) => sum + nanoUsd, 0n),
    shortfallNanoUsd: books.reduce((sum, { shortfallNanoUsd }) => sum + shortfallNanoUsd, 0n),
  };
}
