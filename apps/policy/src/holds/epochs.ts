import { SHARDS } from '@tollgate/contracts';
import type { ShardState__Output } from '@tollgate/contracts/node';
import { singleFlight, type Logger, type SingleFlight } from '@tollgate/kit';

import { unavailable } from '../failure';
import type { EpochOutcome, Store } from '../store';

/** The catalog's record of a shard's epoch. */
export interface ShardBook {
  readonly getShards: (shards: readonly number[]) => Promise<readonly ShardState__Output[]>;
  readonly advanceEpoch: (
    shard: number,
    fromEpoch: number,
    reason: string,
  ) => Promise<ShardState__Output>;
}

export interface EpochsDeps {
  readonly store: Pick<Store, 'open' | 'readMeta'>;
  readonly book: ShardBook;
  readonly graceMs: number;
  /** A shard has lost data: edges must send their unbooked closes and live holds again. */
  readonly onReopened: (shard: number, epoch: number, reason: ReopenReason) => void;
  readonly wait: (ms: number) => Promise<void>;
  readonly log: Logger;
}

export interface Epochs {
  /** 0: unknown; the first script call tells it. */
  readonly of: (shard: number) => number;
  readonly learn: (shard: number, epoch: number) => void;
  /** Handles an EPOCH outcome; the script can be called again afterwards. */
  readonly follow: (shard: number, outcome: EpochOutcome) => Promise<void>;
  /** Asks the catalog for the next epoch of a shard whose counters cannot be trusted. */
  readonly recover: (
    shard: number,
    lostEpoch: number | null,
    reason: OwnReason,
    graceMs?: number,
  ) => Promise<void>;
}

/** Why a shard is opened again, as the log and the catalog's record of its epoch name it. */
const REASON_TEXTS = {
  data_lost: 'the store has lost data of the shard',
  catalog_ahead: 'the catalog is ahead of the store',
  catalog_behind: 'the catalog is behind the store: its database was restored',
  store_behind: 'the store has an epoch of before',
  drainer_gone: 'entries were committed by a drainer that is gone',
  correction_missed: 'the announcement of a correction was lost',
} as const;
export type OwnReason = keyof typeof REASON_TEXTS;
/** `other_policy`: another process opened the shard, and counts it with the reason. */
export type ReopenReason = OwnReason | 'other_policy';

const ROUNDS_MAX = 3;
// How long a policy that was granted an epoch has to open the shard.
const OPENING_LOOKS = 20;
const OPENING_PAUSE_MS = 25;

interface EpochTable extends EpochsDeps {
  /** By shard; 0: unknown. */
  readonly epochs: number[];
  readonly flight: SingleFlight<void>;
}

export function createEpochs(deps: EpochsDeps): Epochs {
  const table: EpochTable = {
    ...deps,
    epochs: Array.from<number>({ length: SHARDS }).fill(0),
    flight: singleFlight(),
  };
  return {
    of: (shard) => of(table, shard),
    learn: (shard, epoch) => learn(table, shard, epoch),
    follow: (shard, outcome) => follow(table, shard, outcome),
    recover: (shard, lostEpoch, reason, graceMs) =>
      recover(table, shard, lostEpoch, reason, graceMs),
  };
}

function of(table: EpochTable, shard: number): number {
  return table.epochs[shard] ?? 0;
}

function learn(
  table: EpochTable,
  shard: number,
  epoch: number,
  reason: ReopenReason = 'other_policy',
): void {
  const before = of(table, shard);
  if (epoch <= before) return;
  table.epochs[shard] = epoch;
  // Whoever opened the shard again, our edges do not know yet.
  if (before !== 0) table.onReopened(shard, epoch, reason);
}

async function follow(table: EpochTable, shard: number, outcome: EpochOutcome): Promise<void> {
  const { epoch } = outcome;
  const isOpenElsewhere = !outcome.lost && epoch !== null;
  if (isOpenElsewhere && epoch >= of(table, shard)) return learn(table, shard, epoch);
  try {
    if (!isOpenElsewhere) await recover(table, shard, epoch, 'data_lost');
    else if (await isBehind(table, shard)) await recover(table, shard, epoch, 'store_behind');
  } catch (error) {
    throw unavailable('catalog', 'the shard cannot be opened without the catalog', error);
  }
}

function recover(
  table: EpochTable,
  shard: number,
  lostEpoch: number | null,
  reason: OwnReason,
  graceMs = table.graceMs,
): Promise<void> {
  return table.flight(String(shard), async () => {
    let lost = lostEpoch;
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const present = await stateOf(table, shard);
      if (lost === null && (await isOpen(table, present))) return;
      // A catalog that was restored from a backup may be behind what is known here.
      const from = Math.max(lost ?? present.epoch, of(table, shard));
      const granted = await beyond(table, present, from, REASON_TEXTS[reason]);
      const opened = await table.store.open({
        shard,
        newEpoch: granted.epoch,
        position: granted.lastSeq,
        rev: granted.rev,
        graceMs: from === 0 ? 0 : graceMs,
      });
      if (opened.kind === 'OPENED') {
        const { epoch, lastSeq } = granted;
        table.log[from === 0 ? 'info' : 'warn']('opened a shard', {
          shard,
          epoch,
          lastSeq,
          reason: REASON_TEXTS[reason],
        });
        learn(table, shard, epoch, reason);
        return;
      }
      if (!opened.lost) {
        learn(table, shard, opened.epoch);
        return;
      }
      lost = opened.epoch;
    }
    throw unavailable('redis', 'the store keeps losing data of the shard');
  });
}

// The store has no data of the shard, and the catalog has an epoch that is new here: another
// policy may have found the shard empty too and be about to open it. Opening it with yet another
// epoch would refuse all requests for another grace. Whether that epoch was opened and lost again
// cannot be told from here, so this policy waits a moment and never opens in its place. For a
// known epoch one look is enough: the call that found the shard empty may predate its opening.
async function isOpen(table: EpochTable, { shard, epoch }: ShardState__Output): Promise<boolean> {
  const looks = epoch > of(table, shard) ? OPENING_LOOKS : 1;
  for (let look = 0; look < looks; look += 1) {
    if (look > 0) await table.wait(OPENING_PAUSE_MS);
    const meta = await table.store.readMeta(shard);
    if (meta?.sameServer === true && meta.epoch >= epoch) {
      learn(table, shard, meta.epoch);
      return true;
    }
  }
  return false;
}

// A policy that knew no epoch may have opened the shard when both stores had gone back. An answer
// may also be older than what was learnt since.
async function isBehind(table: EpochTable, shard: number): Promise<boolean> {
  const meta = await table.store.readMeta(shard);
  return meta?.sameServer === true && meta.epoch < of(table, shard);
}

// An epoch that the catalog granted to another policy will do. A catalog restored from a backup
// is behind the store and takes several steps.
async function beyond(
  table: EpochTable,
  present: ShardState__Output,
  from: number,
  reason: string,
): Promise<ShardState__Output> {
  let state = present;
  while (state.epoch <= from) {
    const before = state.epoch;
    state = await table.book.advanceEpoch(state.shard, before, reason);
    if (state.epoch <= before) throw unavailable('catalog', 'no further epoch was granted');
  }
  return state;
}

async function stateOf(table: EpochTable, shard: number): Promise<ShardState__Output> {
  const [state] = await table.book.getShards([shard]);
  if (state === undefined) throw unavailable('catalog', 'the catalog does not know the shard');
  return state;
}
