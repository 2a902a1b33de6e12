import type {
  AppendReply__Output,
  AppendRequest,
  Entry,
  ShardState__Output,
} from '@tollgate/contracts/node';
import type { Logger } from '@tollgate/kit';

import { unavailable } from '../failure';
import { entryOf, type Epochs } from '../holds';
import { isBroken, type LedgerPage, type Store } from '../store';
import type { BookedMarks } from './booked-marks';
import type { RecentEntries } from './recent-entries';

// Carries one batch of a stream to the catalog, and tells the store what has been committed. Which
// batch is next is in ./drain.

export interface DrainDeps {
  readonly store: Pick<Store, 'book' | 'readLedger' | 'readMeta'>;
  readonly epochs: Epochs;
  readonly bookedMarks: BookedMarks;
  readonly recent: Pick<RecentEntries, 'after'>;
  readonly append: (request: AppendRequest) => Promise<AppendReply__Output>;
  /** The catalog's position of a shard. */
  readonly stateOf: (shard: number) => Promise<ShardState__Output>;
  readonly wait: (ms: number) => Promise<void>;
  readonly onBooked: (entries: number) => void;
  readonly onQuarantined: () => void;
  readonly log: Logger;
}

interface Unbooked {
  readonly position: number;
  readonly forget: ReadonlySet<string>;
}

/** One entry of a batch: decoded, or already known to be unbookable. */
export type Carried = { readonly seq: number } & (
  { readonly entry: Entry } | { readonly problem: string; readonly raw: string }
);

/**
 * The catalog refuses these entries. `certain`: because of their content, so a repetition would
 * fail too. Otherwise the reason is unknown, and only an entry that keeps failing alone counts as
 * bad.
 */
export class UnbookableError extends Error {
  override readonly name = 'UnbookableError';

  constructor(
    message: string,
    readonly certain: boolean,
  ) {
    super(message);
  }
}

export interface Drainer extends DrainDeps {
  readonly positions: Map<number, number>;
  readonly failedAlone: Map<number, { seq: number; tries: number }>;
  /** Positions that the catalog has committed and the store does not know yet. */
  readonly unbooked: Map<number, Unbooked>;
  readonly life: AbortController;
}

const SUSPECT_TRIES = 5;
export const BATCH_MAX = 500;

// A batch that cannot be booked is halved until the bad entry stands alone. That entry is set
// aside and the rest is booked. An entry that cannot be decoded stands alone from the start.
export async function carry(
  drainer: Drainer,
  shard: number,
  prev: number,
  batch: readonly Carried[],
): Promise<void> {
  const [first] = batch;
  const last = batch.at(-1);
  if (first === undefined || last === undefined) return;
  const bad = batch.findIndex((one) => 'problem' in one);
  if (batch.length > 1 && bad !== -1) {
    await carry(drainer, shard, prev, batch.slice(0, bad));
    await carry(drainer, shard, seqBefore(batch, bad, prev), batch.slice(bad, bad + 1));
    await carry(drainer, shard, batch[bad]?.seq ?? prev, batch.slice(bad + 1));
    return;
  }
  if ('problem' in first) {
    await setAside(drainer, shard, prev, first.seq, first.problem, {
      raw: [Buffer.from(first.raw)],
    });
    return;
  }
  const entries = batch.flatMap((one) => ('entry' in one ? [one.entry] : []));
  try {
    await commit(drainer, {
      shard,
      epoch: drainer.epochs.of(shard),
      prev,
      last: last.seq,
      entries,
    });
  } catch (error) {
    if (!(error instanceof UnbookableError)) throw error;
    if (batch.length === 1) {
      if (!error.certain && !suspected(drainer, shard, first.seq)) throw error;
      await setAside(drainer, shard, prev, first.seq, error.message, { entries });
      return;
    }
    const half = Math.ceil(batch.length / 2);
    await carry(drainer, shard, prev, batch.slice(0, half));
    await carry(drainer, shard, seqBefore(batch, half, prev), batch.slice(half));
  }
}

function suspected(drainer: Drainer, shard: number, seq: number): boolean {
  const before = drainer.failedAlone.get(shard);
  const tries = before?.seq === seq ? before.tries + 1 : 1;
  drainer.failedAlone.set(shard, { seq, tries });
  return tries >= SUSPECT_TRIES;
}

async function setAside(
  drainer: Drainer,
  shard: number,
  prev: number,
  last: number,
  reason: string,
  what: Pick<AppendRequest, 'entries' | 'raw'>,
): Promise<void> {
  await commit(drainer, {
    shard,
    epoch: drainer.epochs.of(shard),
    prev,
    last,
    quarantine: true,
    quarantineReason: reason,
    ...what,
  });
  drainer.failedAlone.delete(shard);
  drainer.log.error('a ledger entry cannot be booked, it was set aside', {
    shard,
    seq: last,
    reason,
  });
  drainer.onQuarantined();
}

// Entries are missing at the catalog too: it was restored from an older backup, or the stream was
// cut. The gap is recorded in the quarantine, and the rest is booked.
export async function setAsideGap(
  drainer: Drainer,
  shard: number,
  position: number,
  gapBefore: number,
): Promise<void> {
  const last = Math.min(gapBefore - 1, position + BATCH_MAX);
  const reason = `entries ${String(position + 1)} to ${String(gapBefore - 1)} are missing from the stream`;
  const raw = Array.from({ length: last - position }, () => Buffer.from(reason));
  await setAside(drainer, shard, position, last, reason, { raw });
}

async function commit(
  drainer: Drainer,
  request: AppendRequest & { shard: number; epoch: number },
): Promise<void> {
  const { shard, epoch } = request;
  const { committed, state, forgetLimitIds } = await drainer.append(request);
  if (state === null)
    throw new Error('the catalog replied to an append without the state of its shard');
  drainer.positions.set(shard, state.lastSeq);
  if (!committed) {
    // Another drainer was faster, or the catalog has another position: continue from there.
    if (state.epoch !== epoch) {
      await drainer.epochs.follow(shard, { kind: 'EPOCH', lost: true, epoch });
    }
    throw new MovedError(`shard ${String(shard)} stands at ${String(state.lastSeq)}`);
  }
  drainer.onBooked(request.entries?.length ?? 0);
  const forget = new Set([...(drainer.unbooked.get(shard)?.forget ?? []), ...forgetLimitIds]);
  drainer.unbooked.set(shard, { position: state.lastSeq, forget });
  await tellStore(drainer, shard);
}

export async function tellStore(drainer: Drainer, shard: number): Promise<void> {
  const told = drainer.unbooked.get(shard);
  if (told === undefined) return;
  // Only the announcement of a correction raises the revision: raising it here would hide a lost
  // announcement.
  await book(drainer, shard, told.position, 0, [...told.forget]);
  drainer.unbooked.delete(shard);
}

export async function book(
  drainer: Drainer,
  shard: number,
  position: number,
  rev: number,
  forgetLimitIds: readonly string[],
): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    const epoch = drainer.epochs.of(shard);
    const outcome = await drainer.store.book({
      shard,
      epoch,
      position,
      rev,
      forgetLimitIds: [...forgetLimitIds],
    });
    if (outcome.kind === 'BOOKED') {
      drainer.bookedMarks.advance(shard, epoch, outcome.booked);
      return;
    }
    await drainer.epochs.follow(shard, outcome);
  }
  throw unavailable('redis', 'the epoch of the shard keeps changing');
}

/** Another drainer was faster: continue from the catalog's position. */
export class MovedError extends Error {
  override readonly name = 'MovedError';
}

export function carriedOf(stored: LedgerPage['entries'][number]): Carried {
  if (isBroken(stored)) return { seq: stored.seq, problem: stored.problem, raw: stored.raw };
  try {
    return { seq: stored.seq, entry: entryOf(stored) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { seq: stored.seq, problem, raw: stored.payload };
  }
}

function seqBefore(batch: readonly Carried[], index: number, prev: number): number {
  return batch[index - 1]?.seq ?? prev;
}
