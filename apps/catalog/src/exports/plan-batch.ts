import { rest } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';
import type { DataSource, EntityManager } from 'typeorm';

import { transactionOf, type Tx } from '../db';
import { payloadOf } from './batch-payload';
import { movedTo, pastHistory, rowsAfter, type Cursor, type Found } from './sources';
import { readCounter, wentBack } from './transaction-counter';

/**
 * Decides what the next batch of a destination holds, and stores its bytes together with the
 * cursor's new place. So every attempt sends the same content, also after names were changed or rows
 * removed, and neither a crash nor another worker skips a row. Only forgetting an end user changes it.
 */

/** The rows of one kind as the REST API shows them, by id. */
export type ReadRecords = (
  db: EntityManager,
  ids: readonly string[],
) => Promise<ReadonlyMap<string, object>>;
export type RecordReaders = Readonly<Record<rest.ExportRecord, ReadRecords>>;

export interface Planned {
  readonly id: string;
  readonly number: bigint;
  readonly record: rest.ExportRecord;
  readonly row_count: number;
  readonly compressed: boolean;
  readonly payload: Buffer;
  readonly created_at: Date;
}

/** A destination that this worker has the lease of. */
export interface Leased {
  readonly id: string;
  readonly organisation_id: string | null;
  readonly target: rest.ExportTarget;
  readonly max_rows: number;
  readonly interval_seconds: number;
  readonly lease: string;
}

/** Before compression. A single larger line is sent alone. */
export const MAX_BATCH_BYTES = 8 * 1024 * 1024;
/** Rows in each read. */
const CHUNK = 500;
/** Reads in each plan: more rows of others than this are passed over in several steps. */
const MAX_CHUNKS = 40;

/** The transaction counter is below what is stored, so the order of rows is lost. */
export class CounterWentBack extends Error {
  override readonly name = 'CounterWentBack';
}

/** The lease went to another worker. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

interface Deps {
  readonly orm: DataSource;
  readonly readers: RecordReaders;
}

/** The pending batch, or a new one if a kind is due and has rows. */
export async function planBatch(
  { orm, readers }: Deps,
  destination: Leased,
  nowMs: number,
): Promise<Planned | undefined> {
  return orm.transaction(async (manager) => {
    const tx = await transactionOf(manager);
    await holdLease(tx, destination);
    const pending = await findPending(tx, destination.id);
    if (pending !== undefined) return pending;
    if (wentBack(await readCounter(tx))) {
      throw new CounterWentBack(
        'The transaction counter of the database went back. Restart the catalog, which aligns it.',
      );
    }
    for (const cursor of await dueCursors(tx, destination.id, nowMs)) {
      const read = await readLines({ manager, tx, readers }, destination, cursor);
      const dueMs = read.more ? nowMs : nowMs + destination.interval_seconds * 1000;
      await moveCursor(tx, read.cursor, dueMs);
      if (read.lines.length > 0) return insertBatch(tx, destination, read);
    }
    return undefined;
  });
}

/** Locks the destination's row while it is this worker's. */
export async function holdLease(tx: Tx, { id, lease }: Leased): Promise<void> {
  const { rows } = await tx.query(
    'SELECT FROM export_destination WHERE id = $1 AND lease = $2 FOR UPDATE',
    [id, lease],
  );
  if (rows.length === 0) throw new LeaseLost('another worker has the destination');
}

async function findPending(tx: Tx, destinationId: string): Promise<Planned | undefined> {
  const { rows } = await tx.query<Planned>(
    `SELECT id, number, record, row_count, compressed, payload, created_at FROM export_batch
      WHERE destination_id = $1 AND status = 'PENDING'`,
    [destinationId],
  );
  return rows[0];
}

/**
 * The kinds whose turn it is, longest due first. Retention locks the cursors too before it removes
 * rows, so a row is either read here or counted as removed.
 */
async function dueCursors(tx: Tx, destinationId: string, nowMs: number): Promise<Cursor[]> {
  const { rows } = await tx.query<Cursor>(
    `SELECT * FROM export_cursor WHERE destination_id = $1 AND due_at <= $2
      ORDER BY due_at, record FOR UPDATE`,
    [destinationId, new Date(nowMs)],
  );
  return rows;
}

interface Read {
  readonly cursor: Cursor;
  readonly lines: string[];
  readonly oldestAt: Date;
  /** There may be further rows now. */
  readonly more: boolean;
}

async function readLines(
  { manager, tx, readers }: { manager: EntityManager; tx: Tx; readers: RecordReaders },
  { organisation_id: organisationId, max_rows: maxRows }: Leased,
  from: Cursor,
): Promise<Read> {
  const lines: string[] = [];
  let cursor = from;
  let bytes = 0;
  let oldestMs = Infinity;
  const read = (more: boolean): Read => ({ cursor, lines, oldestAt: new Date(oldestMs), more });
  for (let chunk = 0; chunk < MAX_CHUNKS; chunk += 1) {
    const found = await rowsAfter(tx, cursor, organisationId, CHUNK);
    const ids = found.filter(({ match }) => match).map(({ id }) => id);
    const records = ids.length === 0 ? undefined : await readers[from.record](manager, ids);
    for (const row of found) {
      const line = row.match ? lineOf(from.record, records?.get(row.id)) : undefined;
      if (line !== undefined) {
        const size = Buffer.byteLength(line);
        if (lines.length > 0 && bytes + size > MAX_BATCH_BYTES) return read(true);
        lines.push(line);
        bytes += size;
        oldestMs = Math.min(oldestMs, row.at.getTime());
      }
      cursor = movedTo(cursor, row);
      if (lines.length >= maxRows) return read(true);
    }
    if (!isLast(found)) continue;
    if (cursor.history_from === null) return read(false);
    cursor = pastHistory(cursor);
  }
  return read(true);
}

function isLast(found: readonly Found[]): boolean {
  return found.length < CHUNK;
}

/** Rows are never updated, and cannot be removed while the cursor is locked. */
function lineOf(recordType: rest.ExportRecord, record: object | undefined): string {
  if (record === undefined)
    throw new Error(`a row of ${recordType} that is to be exported is gone`);
  return `${JSON.stringify({ schemaVersion: rest.EXPORT_SCHEMA_VERSION, recordType, ...record })}\n`;
}

async function moveCursor(tx: Tx, cursor: Cursor, dueMs: number): Promise<void> {
  await tx.query(
    `UPDATE export_cursor SET xid = $3, row_id = $4, history_from = $5, history_row_id = $6,
        due_at = $7
      WHERE destination_id = $1 AND record = $2`,
    [
      cursor.destination_id,
      cursor.record,
      cursor.xid,
      cursor.row_id,
      cursor.history_from?.toISOString() ?? null,
      cursor.history_row_id,
      new Date(dueMs),
    ],
  );
}

async function insertBatch(
  tx: Tx,
  { id: destinationId, target }: Leased,
  { cursor, lines, oldestAt }: Read,
): Promise<Planned> {
  const compressed = target.compression === 'GZIP';
  const payload = await payloadOf(lines.join(''), compressed);
  const { rows } = await tx.query<Planned>(
    `INSERT INTO export_batch (id, destination_id, number, record, row_count, oldest_at, compressed,
        byte_count, payload)
      SELECT $1, $2, coalesce(max(number), 0) + 1, $3, $4, $5, $6, $7, $8 FROM export_batch
       WHERE destination_id = $2
      RETURNING id, number, record, row_count, compressed, payload, created_at`,
    [
      uuidv7(),
      destinationId,
      cursor.record,
      lines.length,
      oldestAt,
      compressed,
      payload.length,
      payload,
    ],
  );
  const [batch] = rows;
  if (batch === undefined) throw new Error('a batch that was inserted was not returned');
  return batch;
}
