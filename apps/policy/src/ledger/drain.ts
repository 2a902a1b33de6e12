import type { ShardState__Output } from '@tollgate/contracts/node';

import {
  BATCH_MAX,
  book,
  carriedOf,
  carry,
  MovedError,
  setAsideGap,
  tellStore,
  type Carried,
  type DrainDeps,
  type Drainer,
} from './carry';

export interface Drain {
  /** Carries a shard's entries to the catalog in batches; resolves to the number of entries. */
  readonly run: (shard: number) => Promise<number>;
  /** Forgets counters of a shard when the catalog asks for it. */
  readonly forget: (shard: number, rev: number, limitIds: readonly string[]) => Promise<void>;
  /** No retries from here on. */
  readonly stop: () => void;
}

const PAGES_MAX = 1_000;
const TAKE_OVER_MS = 500;
const FORGET_TRIES = 60;
const FORGET_PAUSE_MS = 1_000;

export function createDrain(deps: DrainDeps): Drain {
  const drainer: Drainer = {
    ...deps,
    positions: new Map(),
    failedAlone: new Map(),
    unbooked: new Map(),
    life: new AbortController(),
  };
  return {
    run: async (shard) => {
      try {
        return await run(drainer, shard);
      } catch (error) {
        // After any failure the catalog's position is read again.
        drainer.positions.delete(shard);
        if (error instanceof MovedError) return 1;
        throw error;
      }
    },
    forget: (shard, rev, limitIds) => forget(drainer, shard, rev, limitIds),
    stop: () => drainer.life.abort(),
  };
}

async function run(drainer: Drainer, shard: number): Promise<number> {
  let carried = 0;
  await tellStore(drainer, shard);
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const position = drainer.positions.get(shard) ?? (await resume(drainer, shard));
    drainer.positions.set(shard, position);
    const batch = await nextBatch(drainer, shard, position);
    if (batch === 'gap') continue;
    await carry(drainer, shard, position, batch);
    carried += batch.length;
    // Later entries are left for the next round: every small page would cost the catalog a
    // transaction.
    if (batch.length < BATCH_MAX) return carried;
  }
  return carried;
}

// The stream is read for entries that this process did not write itself, or no longer has.
async function nextBatch(
  drainer: Drainer,
  shard: number,
  position: number,
): Promise<Carried[] | 'gap'> {
  const recent = drainer.recent.after(shard, drainer.epochs.of(shard), position, BATCH_MAX);
  if (recent.length > 0) return recent;
  const read = await drainer.store.readLedger(shard, position, BATCH_MAX);
  if (read.gapBefore === null) return read.entries.map(carriedOf);
  await setAsideGap(drainer, shard, position, read.gapBefore);
  return 'gap';
}

// Finds the position to continue from after another drainer, or a failure of this one.
async function resume(drainer: Drainer, shard: number): Promise<number> {
  const state = await drainer.stateOf(shard);
  const meta = await drainer.store.readMeta(shard);
  if (meta === null || meta.epoch !== state.epoch) return state.lastSeq;
  if (state.lastSeq > meta.seq) {
    await drainer.epochs.recover(shard, meta.epoch, 'catalog_ahead');
  } else if (state.lastSeq > meta.booked) {
    await takeOver(drainer, shard, state);
  }
  return state.lastSeq;
}

// The catalog committed entries that the store was not told of. The policy that carried them knew
// which counters to forget. If it does not say so shortly, all counters are forgotten.
async function takeOver(drainer: Drainer, shard: number, state: ShardState__Output): Promise<void> {
  await drainer.wait(TAKE_OVER_MS);
  const meta = await drainer.store.readMeta(shard);
  if (meta === null || meta.epoch !== state.epoch || meta.booked >= state.lastSeq) return;
  await drainer.epochs.recover(shard, meta.epoch, 'drainer_gone', 0);
  drainer.bookedMarks.advance(shard, drainer.epochs.of(shard), state.lastSeq);
}

async function forget(
  drainer: Drainer,
  shard: number,
  rev: number,
  limitIds: readonly string[],
): Promise<void> {
  const { epochs, store, life } = drainer;
  for (let tries = 1; !life.signal.aborted; tries += 1) {
    try {
      // A shard that was never opened has no counters.
      if (epochs.of(shard) === 0 && (await store.readMeta(shard)) === null) return;
      // Position 0 changes nothing: only the revision and the counters are affected.
      await book(drainer, shard, 0, rev, limitIds);
      return;
    } catch (error) {
      if (tries >= FORGET_TRIES) throw error;
      await drainer.wait(FORGET_PAUSE_MS);
    }
  }
}
