import { gatewayError, rest } from '@tollgate/contracts';
import {
  describeDecision,
  errorOfDenial,
  type DryRunReply__Output,
  type KeptDecision__Output,
  type ReportDecisionsReply,
} from '@tollgate/contracts/node';
import type { Pool } from 'pg';

import { inTransaction, type Tx } from '../../db';
import { isUuid } from '../records/entry-values';
import { isInstant, iso, storable } from './report-values';

const MAX_REPORTED = 100;
/** Of one decision as JSON. */
const CHARACTERS_MOST = 32_768;
const TEXT_MAX = 200;
/** How long the event loop is kept before others get their turn. */
const SLICE_MS = 5;
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
  const { failed, rows } = await rowsOf(decisions);
  const ids = [...new Set(decisions.map(({ organisationId }) => organisationId))];
  if (ids.length === 0) return {};
  const day = iso(nowMs).slice(0, 10);
  return inTransaction(pool, async (tx) => {
    const room = new Map(
      (await lockDay(tx, ids, day)).map(({ id, kept }) => [id, Math.max(0, perDay - kept)]),
    );
    const wanted = await unknown(
      tx,
      rows.filter(({ organisationId }) => room.has(organisationId)),
    );
    const taken = wanted.filter((row) => take(room, row.organisationId));
    const made = countOf(await insert(tx, taken));
    const dropped = countOf([
      ...wanted.filter((row) => !taken.includes(row)).map((row) => row.organisationId),
      ...failed.filter((id) => room.has(id)),
    ]);
    const full = [...room].flatMap(([id, left]) => (left <= 0 ? [id] : []));
    await count(tx, day, [...room.keys()], { made, dropped, full });
    return {
      stored: [...made.values()].reduce((sum, one) => sum + one, 0),
      fullOrganisationIds: full,
      fullUntilMs: nowMs - (nowMs % DAY_MS) + DAY_MS,
      dayFull: wanted.length - taken.length,
      failed: failed.length,
    };
  });
}

function take(room: Map<string, number>, id: string): boolean {
  const left = room.get(id) ?? 0;
  if (left > 0) room.set(id, left - 1);
  return left > 0;
}

function countOf(ids: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

/** `failed`: organisations of those that cannot be stored. */
async function rowsOf(
  decisions: readonly KeptDecision__Output[],
): Promise<{ readonly rows: Row[]; readonly failed: string[] }> {
  const [rows, failed]: [Row[], string[]] = [[], []];
  let beganMs = performance.now();
  for (const one of decisions) {
    if (!isUuid(one.organisationId))
      throw new RangeError('decisions: organisation_id is not an id');
    const row = rowOf(one);
    if (row === undefined) failed.push(one.organisationId);
    else rows.push(row);
    if (performance.now() - beganMs < SLICE_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    beganMs = performance.now();
  }
  return { rows, failed };
}

/** Undefined: it cannot be read, or is of a later release that says what this one does not know. */
function rowOf(kept: KeptDecision__Output): Row | undefined {
  const { apiKeyId, atMs, model, operation, organisationId, requestId } = kept;
  if (!isUuid(requestId) || !isUuid(apiKeyId) || !isInstant(atMs)) return undefined;
  const json = jsonOf(kept);
  return json === undefined
    ? undefined
    : {
        organisationId,
        requestId,
        decidedAt: iso(atMs),
        apiKeyId,
        model: storable(model).slice(0, TEXT_MAX),
        operation: storable(operation).slice(0, TEXT_MAX),
        json,
      };
}

function jsonOf({ decision, requestId }: KeptDecision__Output): string | undefined {
  const described = decision && describe(decision, requestId);
  const checked = rest.explainedDecision.safeParse(described);
  if (!checked.success) return undefined;
  const { data } = checked;
  for (let { limits } = data; ; limits = limits.slice(0, -Math.ceil(limits.length / 8))) {
    const json = storableJson({ ...data, limits });
    if (json.length <= CHARACTERS_MOST) return json;
    // The tightest come first; the others are left out until it fits.
    if (limits.length === 0) return undefined;
  }
}

/** Null: it says what cannot be read, and must not hold up the others of its report. */
function describe(decision: DryRunReply__Output, requestId: string): unknown {
  try {
    const { denial } = decision;
    const error = denial ? (errorOfDenial(denial) ?? gatewayError('internal_error')) : undefined;
    return describeDecision(decision, { requestId, error, checks: [] });
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError || error instanceof TypeError) {
      return null;
    }
    throw error;
  }
}

/** What PostgreSQL cannot store is rare, and looked for in the text at once. */
function storableJson(value: object): string {
  const json = JSON.stringify(value);
  if (!/\\u(?:0000|d[89a-f])/i.test(json)) return json;
  return JSON.stringify(value, (_key, one: unknown) =>
    typeof one === 'string' ? storable(one) : one,
  );
}

/** Those that exist and still keep decisions. Their rows stay locked, always in the same order. */
async function lockDay(
  tx: Tx,
  organisationIds: readonly string[],
  day: string,
): Promise<{ id: string; kept: number }[]> {
  const { rows } = await tx.query<{ id: string; kept: number }>({
    name: 'ledger-decisions-of-day',
    text: `INSERT INTO request_decision_day AS d (organisation_id, day, kept, dropped, is_full)
      SELECT o.id, $2, 0, 0, false FROM organisation o
        WHERE o.id = ANY($1::uuid[]) AND o.keep_decisions <> 'OFF' ORDER BY o.id
      ON CONFLICT (organisation_id, day) DO UPDATE SET kept = d.kept
      RETURNING organisation_id AS id, kept`,
    values: [organisationIds, day],
  });
  return rows;
}

/** Those that are not there yet, each once: the others take no room of the day. */
async function unknown(tx: Tx, rows: readonly Row[]): Promise<Row[]> {
  if (rows.length === 0) return [];
  const fresh = new Map(rows.toReversed().map((row) => [nameOf(row), row]));
  const { rows: known } = await tx.query<{ organisationId: string; requestId: string }>({
    name: 'ledger-known-decisions',
    text: `SELECT organisation_id AS "organisationId", request_id AS "requestId"
      FROM request_decision WHERE (organisation_id, request_id) IN
        (SELECT * FROM unnest($1::uuid[], $2::uuid[]))`,
    values: [
      rows.map(({ organisationId }) => organisationId),
      rows.map(({ requestId }) => requestId),
    ],
  });
  for (const one of known) fresh.delete(nameOf(one));
  return [...fresh.values()].toReversed();
}

const nameOf = ({ organisationId, requestId }: Pick<Row, 'organisationId' | 'requestId'>) =>
  `${organisationId} ${requestId}`;

/** @returns the organisations of those that are new */
async function insert(tx: Tx, rows: readonly Row[]): Promise<string[]> {
  if (rows.length === 0) return [];
  const { rows: made } = await tx.query<{ id: string }>({
    name: 'ledger-keep-decisions',
    text: `INSERT INTO request_decision
        (organisation_id, request_id, decided_at, api_key_id, model, operation, decision)
      SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::uuid[], $5::text[],
        $6::text[], $7::jsonb[])
      ON CONFLICT DO NOTHING RETURNING organisation_id AS id`,
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
  return made.map(({ id }) => id);
}

interface Counted {
  readonly made: ReadonlyMap<string, number>;
  readonly dropped: ReadonlyMap<string, number>;
  readonly full: readonly string[];
}

async function count(
  tx: Tx,
  day: string,
  ids: readonly string[],
  { dropped, full, made }: Counted,
): Promise<void> {
  await tx.query({
    name: 'ledger-count-decisions',
    text: `UPDATE request_decision_day d
      SET kept = d.kept + c.made, dropped = d.dropped + c.dropped, is_full = c.is_full
      FROM unnest($2::uuid[], $3::integer[], $4::integer[], $5::boolean[])
        AS c (id, made, dropped, is_full)
      WHERE d.organisation_id = c.id AND d.day = $1`,
    values: [
      day,
      ids,
      ids.map((id) => made.get(id) ?? 0),
      ids.map((id) => dropped.get(id) ?? 0),
      ids.map((id) => full.includes(id)),
    ],
  });
}
