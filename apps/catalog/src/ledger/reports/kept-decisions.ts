import { gatewayError, rest } from '@tollgate/contracts';
import {
  describeDecision,
  errorOfDenial,
  type KeptDecision__Output,
  type ReportDecisionsReply,
} from '@tollgate/contracts/node';
import type { Pool, PoolClient } from 'pg';

import { isUuid } from '../records/entry-values';
import { isInstant, iso, storable } from './report-values';

const MAX_REPORTED = 100;
/** Of one decision as JSON. */
const CHARACTERS_MOST = 32_768;
const TEXT_MAX = 200;
/** Any number, the same in each process: reports are stored one after the other. */
const LOCK = 7_320_059;
const DAY_MS = 86_400_000;

export interface KeepingLimits {
  /** Decisions of one organisation that are kept on a day (UTC). */
  readonly perDay: number;
  readonly nowMs: number;
}

/** A decision that can be stored. */
interface Row {
  readonly organisationId: string;
  readonly requestId: string;
  readonly decidedAt: string;
  readonly apiKeyId: string;
  readonly model: string;
  readonly operation: string;
  readonly json: string;
}

/** What becomes of one organisation's part of a report. */
interface Part {
  readonly rows: Row[];
  /** Decisions that cannot be stored. */
  dropped: number;
}

/**
 * Stores decisions of organisations that keep them, up to the most of a day; the rest is counted. A decision that is
 * there already stays as it is: it is the first one, which took the hold.
 */
export async function keepDecisions(
  pool: Pool,
  decisions: readonly KeptDecision__Output[],
  { nowMs, perDay }: KeepingLimits,
): Promise<ReportDecisionsReply> {
  if (decisions.length > MAX_REPORTED) throw new RangeError(`at most ${MAX_REPORTED} at a time`);
  const parts = partsOf(decisions);
  if (parts.size === 0) return {};
  const day = iso(nowMs).slice(0, 10);
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    let stored = 0;
    const fullOrganisationIds: string[] = [];
    for (const { id, kept } of await keptToday(client, [...parts.keys()], day)) {
      const part = parts.get(id);
      if (part === undefined) continue;
      const taken = part.rows.slice(0, Math.max(0, perDay - kept));
      const made = await insert(client, taken);
      const dropped = part.rows.length - taken.length + part.dropped;
      const isFull = kept + made >= perDay;
      await count(client, { id, day, made, dropped, isFull });
      stored += made;
      if (isFull) fullOrganisationIds.push(id);
    }
    await client.query('COMMIT');
    return { stored, fullOrganisationIds, fullUntilMs: nowMs - (nowMs % DAY_MS) + DAY_MS };
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

function partsOf(decisions: readonly KeptDecision__Output[]): Map<string, Part> {
  const parts = new Map<string, Part>();
  for (const one of decisions) {
    const { organisationId } = one;
    if (!isUuid(organisationId)) throw new RangeError('decisions: organisation_id is not an id');
    const part = parts.get(organisationId) ?? { rows: [], dropped: 0 };
    parts.set(organisationId, part);
    const row = rowOf(one);
    if (row === undefined) part.dropped += 1;
    else part.rows.push(row);
  }
  return parts;
}

/** Undefined: it is too large, or of a later release that says what this one does not know. */
function rowOf(kept: KeptDecision__Output): Row | undefined {
  const { apiKeyId, atMs, decision, model, operation, organisationId, requestId } = kept;
  if (decision === null || !isUuid(requestId) || !isUuid(apiKeyId)) return undefined;
  if (!isInstant(atMs)) return undefined;
  const { denial } = decision;
  const error = denial ? (errorOfDenial(denial) ?? gatewayError('internal_error')) : undefined;
  const described = describeDecision(decision, { requestId, error, checks: [] });
  const checked = rest.explainedDecision.safeParse(described);
  if (!checked.success) return undefined;
  const json = JSON.stringify(checked.data, (_key, value: unknown) =>
    typeof value === 'string' ? storable(value) : value,
  );
  if (json.length > CHARACTERS_MOST) return undefined;
  return {
    organisationId,
    requestId,
    decidedAt: iso(atMs),
    apiKeyId,
    model: storable(model).slice(0, TEXT_MAX),
    operation: storable(operation).slice(0, TEXT_MAX),
    json,
  };
}

/** Those that exist and still keep decisions. */
async function keptToday(
  client: PoolClient,
  organisationIds: readonly string[],
  day: string,
): Promise<{ id: string; kept: number }[]> {
  const { rows } = await client.query<{ id: string; kept: number }>({
    name: 'ledger-decisions-of-day',
    text: `SELECT o.id, coalesce(d.kept, 0) AS kept FROM organisation o
      LEFT JOIN request_decision_day d ON d.organisation_id = o.id AND d.day = $2
      WHERE o.id = ANY($1::uuid[]) AND o.keep_decisions <> 'OFF' ORDER BY o.id`,
    values: [organisationIds, day],
  });
  return rows;
}

async function insert(client: PoolClient, rows: readonly Row[]): Promise<number> {
  if (rows.length === 0) return 0;
  const { rowCount } = await client.query({
    name: 'ledger-keep-decisions',
    text: `INSERT INTO request_decision
        (organisation_id, request_id, decided_at, api_key_id, model, operation, decision)
      SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::uuid[], $5::text[],
        $6::text[], $7::jsonb[])
      ON CONFLICT DO NOTHING`,
    values: [
      rows.map(({ organisationId }) => organisationId),
      rows.map(({ requestId }) => requestId),
      rows.map(({ decidedAt }) => decidedAt),
      rows.map(({ apiKeyId }) => apiKeyId),
      rows.map(({ model }) => model),
      rows.map(({ operation }) => operation),
      rows.map(({ json }) => json),
    ],
  });
  return rowCount ?? 0;
}

async function count(
  client: PoolClient,
  counted: { id: string; day: string; made: number; dropped: number; isFull: boolean },
): Promise<void> {
  const { id, day, made, dropped, isFull } = counted;
  if (made === 0 && dropped === 0) return;
  await client.query({
    name: 'ledger-count-decisions',
    text: `INSERT INTO request_decision_day AS d (organisation_id, day, kept, dropped, is_full)
      VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (organisation_id, day) DO UPDATE SET
        kept = d.kept + excluded.kept, dropped = d.dropped + excluded.dropped,
        is_full = excluded.is_full`,
    values: [id, day, made, dropped, isFull],
  });
}
