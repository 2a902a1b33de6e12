import type { rest } from '@tollgate/contracts';

import type { Tx } from '../db';
import { firstIdAt } from '../rest/record-ids';

/**
 * Which rows an export reads, and in which order.
 *
 * Ids and instants say when a row was made, not when its transaction committed, so a cursor over
 * them would pass rows that commit late. Rows are read by the transaction that wrote them instead,
 * and only those below `settled_xid()`: every transaction below has ended, so no further row appears
 * there.
 */

interface Source {
  readonly table: string;
  /** When the row was made, for "from a date" and for the age of what waits. */
  readonly instant: string;
  /** SQL, in addition to the organisation. */
  readonly condition: string;
}

export const SOURCES: Readonly<Record<rest.ExportRecord, Source>> = {
  USAGE: { table: 'usage_record', instant: 'authorised_at', condition: 'true' },
  // Its own table is written in the same transaction, with the same id.
  MCP_USAGE: {
    table: 'usage_record',
    instant: 'authorised_at',
    condition: 'r.mcp_server_id IS NOT NULL',
  },
  ADJUSTMENT: { table: 'usage_adjustment', instant: 'created_at', condition: 'true' },
  AUDIT: { table: 'audit_event', instant: 'created_at', condition: 'true' },
};

export const SOURCE_TABLES = ['usage_record', 'usage_adjustment', 'audit_event'] as const;

/** A cursor as the database returns it. */
export interface Cursor {
  readonly destination_id: string;
  readonly record: rest.ExportRecord;
  readonly start_xid: bigint;
  readonly xid: bigint;
  readonly row_id: string;
  readonly history_from: Date | null;
  readonly history_row_id: string | null;
}

/** A row that was read. One that does not match is not the destination's, and is passed over. */
export interface Found {
  readonly id: string;
  readonly xid: bigint | null;
  readonly at: Date;
  readonly match: boolean;
}

/** Below every id. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** The place before the first row of `from`. */
export function historyStart(from: Date): string {
  return firstIdAt(from.getTime());
}

/**
 * The next rows after a cursor, at most `limit`, in the order of the export. Fewer: there are no
 * more now. The number of rows that are read is bounded whoever they belong to.
 */
export async function rowsAfter(
  tx: Tx,
  cursor: Cursor,
  organisationId: string | null,
  limit: number,
): Promise<Found[]> {
  const { text, values } = selectAfter(cursor, organisationId, limit, 'SETTLED');
  return (await tx.query<Found>(text, values)).rows;
}

export interface Waiting {
  readonly count: bigint;
  readonly oldest: Date | null;
}

/**
 * Counts the rows after a cursor among the next `limit` rows, also those that are not settled: a
 * transaction that stays open holds rows back, which must be seen.
 */
export async function waitingAfter(
  tx: Tx,
  cursor: Cursor,
  organisationId: string | null,
  limit: number,
): Promise<Waiting> {
  const { text, values } = selectAfter(cursor, organisationId, limit, 'COMMITTED');
  const { rows } = await tx.query<Waiting>(
    `SELECT count(*) AS count, min(at) AS oldest FROM (${text}) ahead WHERE match`,
    values,
  );
  return rows[0] ?? { count: 0n, oldest: null };
}

function selectAfter(
  cursor: Cursor,
  organisationId: string | null,
  limit: number,
  which: 'SETTLED' | 'COMMITTED',
): { text: string; values: unknown[] } {
  const { table, instant, condition } = SOURCES[cursor.record];
  const columns = `r.id, r.written_xid AS xid, r.${instant} AS at,
    (($1::uuid IS NULL OR r.organisation_id = $1) AND ${condition}) AS match`;
  if (cursor.history_from !== null) {
    return {
      text: `SELECT ${columns} FROM ${table} r
        WHERE r.id > $2::uuid AND ${ofHistory('r', instant, '$3', '$4')}
        ORDER BY r.id LIMIT $5`,
      values: [
        organisationId,
        cursor.history_row_id,
        cursor.start_xid,
        cursor.history_from.toISOString(),
        limit,
      ],
    };
  }
  return {
    text: `SELECT ${columns} FROM ${table} r
      WHERE r.written_xid >= $2 AND (r.written_xid, r.id) > ($2, $3::uuid)
        ${which === 'SETTLED' ? 'AND r.written_xid < settled_xid()' : ''}
      ORDER BY r.written_xid, r.id LIMIT $4`,
    values: [organisationId, cursor.xid, cursor.row_id, limit],
  };
}

function ofHistory(row: string, instant: string, startXid: string, from: string): string {
  return `(${row}.written_xid IS NULL OR ${row}.written_xid < ${startXid})
    AND ${row}.${instant} >= ${from}::timestamptz`;
}

/** SQL: row `r` of the source is still to be read by cursor `c`. For rows that are found by id. */
export function isAhead(record: rest.ExportRecord): string {
  const { instant, condition } = SOURCES[record];
  return `${condition} AND (
    (r.written_xid, r.id) > (c.xid, c.row_id)
    OR (c.history_from IS NOT NULL AND r.id > c.history_row_id
      AND ${ofHistory('r', instant, 'c.start_xid', 'c.history_from')}))`;
}

/** The cursor after a row. */
export function movedTo(cursor: Cursor, { id, xid }: Pick<Found, 'id' | 'xid'>): Cursor {
  if (cursor.history_from !== null) return { ...cursor, history_row_id: id };
  if (xid === null) throw new Error('a row without a transaction was read as a new one');
  return { ...cursor, xid, row_id: id };
}

/** The cursor when all earlier rows are in batches: rows of `startXid` and later follow. */
export function pastHistory(cursor: Cursor): Cursor {
  return { ...cursor, history_from: null, history_row_id: null };
}
