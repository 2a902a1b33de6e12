import type { rest } from '@tollgate/contracts';
import { In, type EntityManager } from 'typeorm';

import { ExportCursor, type ExportBatch, type ExportDestination } from '../../exports';

const text = (instant: Date | null): string | null => instant?.toISOString() ?? null;

export async function representAll(
  db: EntityManager,
  rows: readonly ExportDestination[],
): Promise<rest.ExportDestination[]> {
  if (rows.length === 0) return [];
  const cursors = await db.findBy(ExportCursor, { destinationId: In(rows.map(({ id }) => id)) });
  const removed = Map.groupBy(cursors, ({ destinationId }) => destinationId);
  return rows.map((row) =>
    represent(
      row,
      (removed.get(row.id) ?? []).reduce((sum, { removedRows }) => sum + Number(removedRows), 0),
    ),
  );
}

function represent(row: ExportDestination, removedRows: number): rest.ExportDestination {
  return {
    id: row.id,
    organisationId: row.organisationId,
    name: row.name,
    target: row.target,
    secretPreview: row.secretPreview,
    records: row.records,
    startFrom: text(row.startFrom),
    maxRows: row.maxRows,
    intervalSeconds: row.intervalSeconds,
    status: row.status,
    delivery: {
      failures: row.failures,
      failingSince: text(row.failingSince),
      lastError: row.lastError,
      lastErrorAt: text(row.lastErrorAt),
      lastDeliveredAt: text(row.lastDeliveredAt),
      nextAttemptAt: row.status === 'ACTIVE' ? row.nextAttemptAt.toISOString() : null,
      deliveredBatches: Number(row.deliveredBatches),
      deliveredRows: Number(row.deliveredRows),
      waitingRows: row.waitingRows,
      waitingSince: text(row.waitingSince),
      measuredAt: text(row.measuredAt),
      removedRows,
    },
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

export function representBatch(row: ExportBatch): rest.ExportBatch {
  return {
    id: row.id,
    number: Number(row.number),
    record: row.record,
    status: row.status,
    rows: row.rowCount,
    bytes: row.byteCount,
    attempts: row.attempts,
    lastStatus: row.lastStatus,
    lastError: row.lastError,
    createdAt: row.createdAt.toISOString(),
    deliveredAt: text(row.deliveredAt),
  };
}
