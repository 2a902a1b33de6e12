import type {
  BookedMark__Output,
  SessionFailure__Output,
  SessionResult__Output,
  SettleRequest,
} from '@tollgate/contracts/node';
import { TransientMap } from '@tollgate/kit';

import { createCancellations, type Cancellations } from './cancellations';
import type { Answer, Ask, ItemSession } from './item';
import { isBooked, type Mark } from './mark';

/** A settle and its ledger shard. */
export interface Settle {
  message: SettleRequest;
  shard: number;
}

/** A shard that lost data. */
export interface Reopened {
  shard: number;
  /** The one that it has now; 0: a policy of an earlier release does not say. */
  epoch: number;
}

export interface How {
  onBooked?: () => void;
  via?: ItemSession | undefined;
}

export interface SettleKeeper {
  /**
   * Takes over a settle. It is sent until policy has it and catalog has booked it, first over the session that
   * decided its hold from a float.
   */
  submit: (settle: Settle, how?: How) => void;
  booked: (marks: readonly BookedMark__Output[]) => void;
  /** Redis lost data, so unbooked settles are sent again. */
  reopened: (shards: readonly Reopened[]) => void;
  /** Sends all waiting settles at once. */
  retryNow: () => void;
  /** Settles that policy has not acknowledged. */
  queued: () => number;
  /** All kept settles, including acknowledged ones that are not booked yet. */
  kept: () => number;
  full: () => boolean;
  /** Resolves when everything is booked, or after `deadlineMs` with the rest. */
  drain: (deadlineMs: number) => Promise<Settle[]>;
  stop: () => void;
}

export interface SettleKeeperDeps {
  ask: Ask;
  deadlineMs: number;
  /** New requests are refused while this many settles are kept. */
  most: number;
  nowMs: () => number;
  /** Policy can never accept this settle, because the message is invalid. */
  onRejected: (settle: Settle, failure: Pick<SessionFailure__Output, 'code' | 'message'>) => void;
}

type Entry = Settle & {
  state: 'waiting' | 'sent' | 'acknowledged';
  /** Counts the sends, to recognise answers to earlier ones. */
  sends: number;
  failures: number;
  dueMs: number;
  seq: number;
  /** Of `seq`; 0: a policy of an earlier release does not say. */
  epoch: number;
  onBooked: (() => void) | undefined;
  /** Only the first send goes there: after a failure any other session is as good. */
  via: ItemSession | undefined;
};

const RETRY_FIRST_MS = 100;
const RETRY_MOST_MS = 5_000;
/** Limit of retries per tick, so that a long queue does not fill every session. */
const RETRY_BATCH = 512;

interface Keeper extends SettleKeeperDeps {
  readonly entries: TransientMap<string, Entry>;
  /** Acknowledged settles that wait for their mark. */
  readonly byShard: Map<number, TransientMap<string, Entry>>;
  readonly waiting: Set<Entry>;
  readonly marks: Map<number, Mark>;
  readonly cancelled: Cancellations;
  timer: NodeJS.Timeout | undefined;
  drained: (() => void) | undefined;
  stopped: boolean;
  acknowledged: number;
}

// Keeps each settle until the shard's booked mark has passed its number. If Redis loses it before
// that, only this edge still knows it.
export function createSettleKeeper(deps: SettleKeeperDeps): SettleKeeper {
  const keeper: Keeper = {
    ...deps,
    entries: new TransientMap(),
    byShard: new Map(),
    waiting: new Set(),
    marks: new Map(),
    cancelled: createCancellations(deps.nowMs),
    timer: undefined,
    drained: undefined,
    stopped: false,
    acknowledged: 0,
  };
  return {
    submit: (settle, how) => submit(keeper, settle, how),
    booked: (marks) => booked(keeper, marks),
    reopened: (shards) => reopened(keeper, shards),
    retryNow: () => retryDue(keeper, Number.POSITIVE_INFINITY),
    queued: () => keeper.entries.size - keeper.acknowledged,
    kept: () => keeper.entries.size,
    full: () => keeper.entries.size >= deps.most,
    drain: (deadlineMs) => drain(keeper, deadlineMs),
    stop: () => {
      keeper.stopped = true;
      clearTimeout(keeper.timer);
    },
  };
}

function submit(keeper: Keeper, settle: Settle, { onBooked, via }: How = {}): void {
  const id = idOf(settle);
  const known = keeper.entries.get(id);
  if (known !== undefined) {
    const first = known.onBooked;
    known.onBooked = () => [first, onBooked].forEach((tell) => tell?.());
    return;
  }
  const { message, shard } = settle;
  const entry: Entry = {
    message,
    shard,
    state: 'waiting',
    sends: 0,
    failures: 0,
    dueMs: 0,
    seq: 0,
    epoch: 0,
    onBooked,
    via,
  };
  keeper.entries.set(id, entry);
  send(keeper, entry);
}

function send(keeper: Keeper, entry: Entry): void {
  keeper.waiting.delete(entry);
  entry.state = 'sent';
  entry.sends += 1;
  const { sends, via } = entry;
  entry.via = undefined;
  keeper.ask({ kind: 'settle', message: entry.message }, keeper.deadlineMs, {
    answered: (answer) => onAnswer(keeper, entry, sends, answer),
    late: (reply) => onAnswer(keeper, entry, sends, { ok: true, ...reply }),
    via,
  });
}

function onAnswer(keeper: Keeper, entry: Entry, sends: number, answer: Answer): void {
  // After the shard was reopened, the answer to an earlier send is void.
  if (sends !== entry.sends || entry.state === 'acknowledged' || gone(keeper, entry)) return;
  if (answer.ok) return onAcknowledged(keeper, entry, answer.result);
  if (answer.failure.code === 'INVALID_ARGUMENT') {
    keeper.onRejected(entry, answer.failure);
    return forget(keeper, entry);
  }
  wait(keeper, entry);
}

function wait(keeper: Keeper, entry: Entry): void {
  entry.state = 'waiting';
  entry.failures += 1;
  const pauseMs = Math.min(RETRY_FIRST_MS * 2 ** Math.min(entry.failures - 1, 10), RETRY_MOST_MS);
  entry.dueMs = keeper.nowMs() + pauseMs;
  keeper.waiting.add(entry);
  arm(keeper, pauseMs);
}

function onAcknowledged(keeper: Keeper, entry: Entry, result: SessionResult__Output): void {
  const seq = result.settle?.seq ?? 0;
  const mark = keeper.marks.get(result.settle?.shard ?? entry.shard);
  // Its number belongs to an earlier epoch and was lost with it, while the mark counts in the
  // current one. A policy of an earlier release sends no epoch.
  const epoch = result.settle?.epoch ?? 0;
  if (mark !== undefined && epoch !== 0 && epoch < mark.epoch) return send(keeper, entry);
  keeper.waiting.delete(entry);
  // A cancelled hold has no ledger entry to wait for.
  if (seq === 0) {
    forget(keeper, entry);
    const { message } = entry;
    return keeper.cancelled.add({ message, shard: result.settle?.shard ?? entry.shard });
  }
  entry.shard = result.settle?.shard ?? entry.shard;
  entry.state = 'acknowledged';
  entry.seq = seq;
  entry.epoch = epoch;
  keeper.acknowledged += 1;
  const shard = keeper.byShard.get(entry.shard) ?? new TransientMap();
  shard.set(idOf(entry), entry);
  keeper.byShard.set(entry.shard, shard);
  // The mark may arrive before this answer, on another session.
  if (mark !== undefined && isBooked(entry, mark)) forget(keeper, entry);
}

function forget(keeper: Keeper, entry: Entry): void {
  if (entry.state === 'acknowledged') keeper.acknowledged -= 1;
  keeper.waiting.delete(entry);
  keeper.byShard.get(entry.shard)?.delete(idOf(entry));
  keeper.entries.delete(idOf(entry));
  entry.onBooked?.();
  if (keeper.entries.size === 0) keeper.drained?.();
}

function gone(keeper: Keeper, entry: Entry): boolean {
  return keeper.entries.get(idOf(entry)) !== entry;
}

function booked(keeper: Keeper, news: readonly BookedMark__Output[]): void {
  for (const { shard, epoch, booked: position } of news) {
    const known = keeper.marks.get(shard);
    // The epoch changed unnoticed, for example while no session was open.
    if (known && known.epoch !== epoch) sendAgain(keeper, [shard]);
    const mark = { epoch, booked: position };
    keeper.marks.set(shard, mark);
    for (const entry of keeper.byShard.get(shard)?.values() ?? []) {
      if (isBooked(entry, mark)) forget(keeper, entry);
    }
  }
}

function reopened(keeper: Keeper, shards: readonly Reopened[]): void {
  // Each policy tells of it, and a mark may have told before.
  const news = shards.filter(
    ({ shard, epoch }) => epoch === 0 || keeper.marks.get(shard)?.epoch !== epoch,
  );
  for (const { shard, epoch } of news) {
    if (epoch === 0) keeper.marks.delete(shard);
    else keeper.marks.set(shard, { epoch, booked: 0 });
  }
  sendAgain(
    keeper,
    news.map(({ shard }) => shard),
  );
}

function sendAgain(keeper: Keeper, shards: readonly number[]): void {
  for (const shard of shards) {
    const lost = keeper.byShard.get(shard);
    keeper.byShard.delete(shard);
    for (const entry of lost?.values() ?? []) {
      keeper.acknowledged -= 1;
      send(keeper, entry);
    }
    // Pending settles may have been processed before the loss and be answered after it.
    for (const entry of keeper.entries.values()) {
      if (entry.shard === shard && entry.state === 'sent' && lost?.has(idOf(entry)) !== true)
        send(keeper, entry);
    }
  }
  for (const settle of keeper.cancelled.take(shards)) submit(keeper, settle);
}

function retryDue(keeper: Keeper, now: number): void {
  const due = [...keeper.waiting].filter((entry) => entry.dueMs <= now);
  for (const entry of due.slice(0, RETRY_BATCH)) send(keeper, entry);
  if (keeper.waiting.size > 0) arm(keeper, RETRY_FIRST_MS);
}

function arm(keeper: Keeper, ms: number): void {
  if (keeper.stopped) return;
  keeper.timer ??= setTimeout(() => {
    keeper.timer = undefined;
    retryDue(keeper, keeper.nowMs());
  }, ms);
}

async function drain(keeper: Keeper, deadlineMs: number): Promise<Settle[]> {
  retryDue(keeper, Number.POSITIVE_INFINITY);
  if (keeper.entries.size > 0) {
    await new Promise<void>((resolve) => {
      const over = setTimeout(resolve, deadlineMs);
      keeper.drained = () => {
        clearTimeout(over);
        resolve();
      };
    });
  }
  return [...keeper.entries.values()].map(({ message, shard }) => ({ message, shard }));
}

function idOf({ message }: Settle): string {
  return message.requestId ?? '';
}
