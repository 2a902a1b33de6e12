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

export interface DrainDeps {
  readonly store: Pick<Store, 'book' | 'readLedger' | 'readMeta'>;
  readonly epochs: Epochs;
  readonly bookedMarks: BookedMarks;
  readonly append: (request: AppendRequest) => Promise<AppendReply__Output>;
  /** The catalog's position of a shard. */
  readonly stateOf: (shard: number) => Promise<ShardState__Output>;
  readonly wait: (ms: number) => Promise<void>;
  readonly onBooked: (entries: number) => void;
  readonly onQuarantined: () => void;
  readonly log: Logger;
}

export interface Drain {
  /** Carries the stream's entries to the catalog in batches; resolves to the number of entries. */
  readonly run: (shard: number) => Promise<number>;
  /** Forgets counters of a shard when the catalog asks for it. */
  readonly forget: (shard: number, rev: number, limitIds: readonly string[]) => Promise<void>;
  /** No retries from here on. */
  readonly stop: () => void;
}

interface Unbooked {
  readonly position: number;
  readonly forget: ReadonlySet<string>;
}

/** One entry of a batch: decoded, or already known to be unbookable. */
type Carried = { readonly seq: number } & (
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

const SUSPECT_TRIES = 5;
const BATCH_MAX = 500;
const PAGES_MAX = 1_000;
const TAKE_OVER_MS = 500;
const FORGET_TRIES = 60;
const FORGET_PAUSE_MS = 1_000;

export function createDrain(deps: DrainDeps): Drain {
  const { store, epochs, bookedMarks, log } = deps;
  const positions = new Map<number, number>();
  const failedAlone = new Map<number, { seq: number; tries: number }>();
  // Positions that the catalog has committed and the store does not know yet.
  const unbooked = new Map<number, Unbooked>();
  const life = new AbortController();

  const run: Drain['run'] = async (shard) => {
    let carried = 0;
    await tellStore(shard);
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const position = positions.get(shard) ?? (await resume(shard));
      positions.set(shard, position);
      const read = await store.readLedger(shard, position, BATCH_MAX);
      if (read.gapBefore !== null) {
        await setAsideGap(shard, position, read.gapBefore);
        continue;
      }
      await carry(shard, position, read.entries.map(carriedOf));
      carried += read.entries.length;
      // Later entries are left for the next round: every small page would cost the catalog a
      // transaction.
      if (read.entries.length < BATCH_MAX) return carried;
    }
    return carried;
  };

  // Finds the position to continue from after another drainer, or a failure of this one.
  async function resume(shard: number): Promise<number> {
    const state = await deps.stateOf(shard);
    const meta = await store.readMeta(shard);
    if (meta === null || meta.epoch !== state.epoch) return state.lastSeq;
    if (state.lastSeq > meta.seq) {
      await epochs.recover(shard, meta.epoch, 'the catalog is ahead of the store');
    } else if (state.lastSeq > meta.booked) {
      await takeOver(shard, state);
    }
    return state.lastSeq;
  }

  // The catalog committed entries that the store was not told of. The policy that carried them knew
  // which counters to forget. If it does not say so shortly, all counters are forgotten.
  async function takeOver(shard: number, state: ShardState__Output): Promise<void> {
    await deps.wait(TAKE_OVER_MS);
    const meta = await store.readMeta(shard);
    if (meta === null || meta.epoch !== state.epoch || meta.booked >= state.lastSeq) return;
    await epochs.recover(shard, meta.epoch, 'entries were committed by a drainer that is gone', 0);
    bookedMarks.advance(shard, epochs.of(shard), state.lastSeq);
  }

  // A batch that cannot be booked is halved until the bad entry stands alone. That entry is set
  // aside and the rest is booked. An entry that cannot be decoded stands alone from the start.
  async function carry(shard: number, prev: number, batch: readonly Carried[]): Promise<void> {
    const [first] = batch;
    const last = batch.at(-1);
    if (first === undefined || last === undefined) return;
    const bad = batch.findIndex((one) => 'problem' in one);
    if (batch.length > 1 && bad !== -1) {
      await carry(shard, prev, batch.slice(0, bad));
      await carry(shard, seqBefore(batch, bad, prev), batch.slice(bad, bad + 1));
      await carry(shard, batch[bad]?.seq ?? prev, batch.slice(bad + 1));
      return;
    }
    if ('problem' in first) {
      await setAside(shard, prev, first.seq, first.problem, { raw: [Buffer.from(first.raw)] });
      return;
    }
    const entries = batch.flatMap((one) => ('entry' in one ? [one.entry] : []));
    try {
      await commit({ shard, epoch: epochs.of(shard), prev, last: last.seq, entries });
    } catch (error) {
      if (!(error instanceof UnbookableError)) throw error;
      if (batch.length === 1) {
        if (!error.certain && !suspected(shard, first.seq)) throw error;
        await setAside(shard, prev, first.seq, error.message, { entries });
        return;
      }
      const half = Math.ceil(batch.length / 2);
      await carry(shard, prev, batch.slice(0, half));
      await carry(shard, seqBefore(batch, half, prev), batch.slice(half));
    }
  }

  function suspected(shard: number, seq: number): boolean {
    const before = failedAlone.get(shard);
    const tries = before?.seq === seq ? before.tries + 1 : 1;
    failedAlone.set(shard, { seq, tries });
    return tries >= SUSPECT_TRIES;
  }

  async function setAside(
    shard: number,
    prev: number,
    last: number,
    reason: string,
    what: Pick<AppendRequest, 'entries' | 'raw'>,
  ): Promise<void> {
    await commit({
      shard,
      epoch: epochs.of(shard),
      prev,
      last,
      quarantine: true,
      quarantineReason: reason,
      ...what,
    });
    failedAlone.delete(shard);
    log.error('a ledger entry cannot be booked, it was set aside', { shard, seq: last, reason });
    deps.onQuarantined();
  }

  // Entries are missing at the catalog too: it was restored from an older backup, or the stream was
  // cut. The gap is recorded in the quarantine, and the rest is booked.
  async function setAsideGap(shard: number, position: number, gapBefore: number): Promise<void> {
    const last = Math.min(gapBefore - 1, position + BATCH_MAX);
    const reason = `entries ${String(position + 1)} to ${String(gapBefore - 1)} are missing from the stream`;
    const raw = Array.from({ length: last - position }, () => Buffer.from(reason));
    await setAside(shard, position, last, reason, { raw });
  }

  async function commit(request: AppendRequest & { shard: number; epoch: number }): Promise<void> {
    const { shard, epoch } = request;
    const { committed, state, forgetLimitIds } = await deps.append(request);
    if (state === null)
      throw new Error('the catalog replied to an append without the state of its shard');
    positions.set(shard, state.lastSeq);
    if (!committed) {
      // Another drainer was faster, or the catalog has another position: continue from there.
      if (state.epoch !== epoch) {
        await epochs.follow(shard, { kind: 'EPOCH', lost: true, epoch });
      }
      throw new MovedError(`shard ${String(shard)} stands at ${String(state.lastSeq)}`);
    }
    deps.onBooked(request.entries?.length ?? 0);
    const forget = new Set([...(unbooked.get(shard)?.forget ?? []), ...forgetLimitIds]);
    unbooked.set(shard, { position: state.lastSeq, forget });
    await tellStore(shard);
  }

  async function tellStore(shard: number): Promise<void> {
    const told = unbooked.get(shard);
    if (told === undefined) return;
    // Only the announcement of a correction raises the revision: raising it here would hide a lost
    // announcement.
    await book(shard, told.position, 0, [...told.forget]);
    unbooked.delete(shard);
  }

  async function book(
    shard: number,
    position: number,
    rev: number,
    forgetLimitIds: readonly string[],
  ): Promise<void> {
    for (let round = 0; round < 3; round += 1) {
      const epoch = epochs.of(shard);
      const outcome = await store.book({
        shard,
        epoch,
        position,
        rev,
        forgetLimitIds: [...forgetLimitIds],
      });
      if (outcome.kind === 'BOOKED') {
        bookedMarks.advance(shard, epoch, outcome.booked);
        return;
      }
      await epochs.follow(shard, outcome);
    }
    throw unavailable('redis', 'the epoch of the shard keeps changing');
  }

  return {
    run: async (shard) => {
      try {
        return await run(shard);
      } catch (error) {
        // After any failure the catalog's position is read again.
        positions.delete(shard);
        if (error instanceof MovedError) return 1;
        throw error;
      }
    },
    forget: async (shard, rev, limitIds) => {
      for (let tries = 1; !life.signal.aborted; tries += 1) {
        try {
          // A shard that was never opened has no counters.
          if (epochs.of(shard) === 0 && (await store.readMeta(shard)) === null) return;
          // Position 0 changes nothing: only the revision and the counters are affected.
          await book(shard, 0, rev, limitIds);
          return;
        } catch (error) {
          if (tries >= FORGET_TRIES) throw error;
          await deps.wait(FORGET_PAUSE_MS);
        }
      }
    },
    stop: () => life.abort(),
  };
}

class MovedError extends Error {
  override readonly name = 'MovedError';
}

function carriedOf(stored: LedgerPage['entries'][number]): Carried {
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
