/**
 * The continuous export: usage records, adjustments and audit events are delivered at least once to
 * webhooks and S3-compatible storage. `sources` says which rows come next, `plan-batch` fixes what a
 * batch holds, `send` carries it, `deliver` makes one step of one destination, `worker` repeats
 * that. What an administrator may set up is in `resources/export-destinations`.
 */
export { retryAfterMs, type ExportDeps } from './deliver';
export { ExportBatch } from './export-batch.entity';
export { ExportCursor } from './export-cursor.entity';
export { ExportDestination } from './export-destination.entity';
export { replaceEndUserInBatches } from './forget-end-user';
export { createExportGauges } from './gauges';
export { placeCursors } from './place-cursors';
export type { ReadRecords, RecordReaders } from './plan-batch';
export { noteRemovedRows } from './removed-rows';
export { objectName, objectUrl, send } from './send';
export { startExports } from './worker';
export { alignTransactionCounter } from './transaction-counter';
