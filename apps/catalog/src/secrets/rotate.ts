import { openBytes, sealBytes, type KeyRing } from '@tollgate/contracts/node';
import type { Pool } from 'pg';

import { inTransaction, type Tx } from '../db/transaction';
import { SEALED_STORES, type SealedRow, type SealedStore } from './sealed-stores';

/**
 * Re-encrypts every secret with the ring's current key, in batches of one transaction each: at any
 * time each secret is readable with one key of the ring. Only secrets under other keys are
 * processed, so an interrupted run is simply started again.
 */

export interface StoreReport {
  readonly table: string;
  /** Secrets re-encrypted by this run. */
  rotated: number;
  /** Secrets that are under the current key at the end, and were opened with it. */
  current: number;
  /** Secrets under other keys at the end, by key id. */
  readonly remaining: Record<string, number>;
  /** Rows that no key of the ring opens: the first few, without content. */
  readonly unreadable: string[];
}

export interface RotationReport {
  /** Every secret is under the current key and readable. */
  readonly ok: boolean;
  readonly dryRun: boolean;
  readonly keyId: string;
  readonly stores: readonly StoreReport[];
}

export interface RotationOptions {
  /** Counts and opens only. */
  readonly dryRun?: boolean;
  /** Secrets in each transaction. */
  readonly batchSize?: number;
  /** Called in each transaction before its commit. */
  readonly onBatch?: (tx: Tx) => Promise<void>;
}

const BATCH = 200;
/** Catalogs may still seal with an older key during a run, so rows are searched again. */
const MOST_PASSES = 5;
const UNREADABLE_TOLD = 20;
const LOCK = `hashtext('tollgate.keys-rotate')`;

/** @throws Error when another rotation is running */
export async function rotateSecrets(
  pool: Pool,
  ring: KeyRing,
  options: RotationOptions = {},
): Promise<RotationReport> {
  const holder = await pool.connect();
  let broken: Error | undefined;
  try {
    const { rows } = await holder.query<{ taken: boolean }>(
      `SELECT pg_try_advisory_lock(${LOCK}) AS taken`,
    );
    if (rows[0]?.taken !== true) throw new Error('another key rotation is running');
    return await rotateStores(pool, ring, options);
  } finally {
    // A lock that cannot be released is freed by closing its connection.
    await holder.query(`SELECT pg_advisory_unlock(${LOCK})`).catch((failure: Error) => {
      broken = failure;
    });
    holder.release(broken);
  }
}

async function rotateStores(
  pool: Pool,
  ring: KeyRing,
  options: RotationOptions,
): Promise<RotationReport> {
  const { dryRun = false } = options;
  const stores: StoreReport[] = [];
  for (const store of SEALED_STORES) {
    const rotated = dryRun ? 0 : await rotateStore(pool, ring, store, options);
    stores.push(await inspect(pool, ring, store, rotated));
  }
  const ok = stores.every(
    ({ remaining, unreadable }) => Object.keys(remaining).length === 0 && unreadable.length === 0,
  );
  return { ok, dryRun, keyId: ring.currentId, stores };
}

async function rotateStore(
  pool: Pool,
  ring: KeyRing,
  store: SealedStore,
  options: RotationOptions,
): Promise<number> {
  let rotated = 0;
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const before = rotated;
    let after: string | undefined = store.start;
    while (after !== undefined) {
      const batch = await rotateBatch(pool, ring, store, after, options);
      rotated += batch.rotated;
      after = batch.last;
    }
    if (rotated === before) break;
  }
  return rotated;
}

async function rotateBatch(
  pool: Pool,
  ring: KeyRing,
  store: SealedStore,
  after: string,
  { batchSize = BATCH, onBatch }: RotationOptions,
): Promise<{ rotated: number; last: string | undefined }> {
  return inTransaction(pool, async (tx) => {
    const { rows } = await tx.query(`${store.select} FOR UPDATE`, [
      after,
      batchSize,
      ring.currentId,
    ]);
    const found = rows.map(store.read);
    let rotated = 0;
    for (const row of found) {
      const plain = opened(ring, row);
      // Unreadable rows are reported by `inspect` at the end.
      if (plain === undefined) continue;
      const anew = sealBytes(ring, plain, row.context);
      if (!openBytes(ring, anew, row.context).equals(plain)) {
        throw new Error(`a secret of ${store.table} does not open after re-encryption`);
      }
      await tx.query(store.update, [row.place, ...store.write(anew)]);
      rotated += 1;
    }
    await onBatch?.(tx);
    return { rotated, last: found.at(-1)?.place };
  });
}

/** Opens every secret: the proof that nothing was lost. */
async function inspect(
  pool: Pool,
  ring: KeyRing,
  store: SealedStore,
  rotated: number,
): Promise<StoreReport> {
  const report: StoreReport = {
    table: store.table,
    rotated,
    current: 0,
    remaining: {},
    unreadable: [],
  };
  for (let after: string | undefined = store.start; after !== undefined;) {
    const { rows }: { rows: unknown[] } = await pool.query(store.select, [after, BATCH, null]);
    const found: SealedRow[] = rows.map(store.read);
    for (const row of found) note(report, row, ring);
    after = found.at(-1)?.place;
  }
  return report;
}

function note(report: StoreReport, row: SealedRow, ring: KeyRing): void {
  const { keyId } = row.sealed;
  const readable = opened(ring, row) !== undefined;
  if (!readable && report.unreadable.length < UNREADABLE_TOLD) report.unreadable.push(row.place);
  if (keyId !== ring.currentId) report.remaining[keyId] = (report.remaining[keyId] ?? 0) + 1;
  else if (readable) report.current += 1;
}

/** Undefined when the ring lacks the key, or the row was tampered with. */
function opened(ring: KeyRing, { sealed, context }: SealedRow): Buffer | undefined {
  try {
    return openBytes(ring, sealed, context);
  } catch {
    return undefined;
  }
}
