import type {
  BookedMark__Output,
  SessionFailure__Output,
  SessionResult__Output,
  SettleRequest,
} from '@tollgate/contracts/node';
import { TransientMap } from '@tollgate/kit';

import type { Answer, Item, Payload } from './item';

/** A settle and its ledger shard. */
export interface Settle {
  message: SettleRequest;
  shard: number;
}

export interface SettleKeeper {
  /** Takes over a settle. It is sent until policy has it and catalog has booked it. */
  submit: (settle: Settle, onBooked?: () => void) => void;
  booked: (marks: readonly BookedMark__Output[]) => void;
  /** Redis lost data, so unbooked settles are sent again. */
  reopened: (shards: readonly number[]) => void;
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
  ask: (payload: Payload, deadlineMs: number, callbacks: Pick<Item, 'answered' | 'late'>) => void;
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
  onBooked: (() => void) | undefined;
};

const RETRY_FIRST_MS = 100;
const RETRY_MOST_MS = 5_000;
/** Limit of retries per tick, so that a long queue does not fill every session. */
const RETRY_BATCH = 512;

// A cancellation has no ledger number, so the booked mark does not cover it. Redis may lose its
// last second or two (append-only file) and restore the hold, which would be charged when its lease
// expires. For this long the cancellation can be repeated.
const CANCELLED_KEPT_MS = 60_000;
const CANCELLED_MOST = 4_096;

// Keeps each settle until the shard's booked mark has passed its number. If Redis loses it before
// that, only this edge still knows it.
export function createSettleKeeper(deps: SettleKeeperDeps): SettleKeeper {
  const entries = new TransientMap<string, Entry>();
  const byShard = new Map<number, TransientMap<string, Entry>>();
  const waiting = new Set<Entry>();
  const marks = new Map<number, { epoch: number; booked: number }>();
  let cancelled: { settle: Settle; atMs: number }[] = [];
  let timer: NodeJS.Timeout | undefined;
  let drained: (() => void) | undefined;
  let stopped = false;
  let acknowledged = 0;

  const submit: SettleKeeper['submit'] = (settle, onBooked) => {
    const id = idOf(settle);
    if (entries.has(id)) return;
    const { message, shard } = settle;
    const entry: Entry = {
      message,
      shard,
      state: 'waiting',
      sends: 0,
      failures: 0,
      dueMs: 0,
      seq: 0,
      onBooked,
    };
    entries.set(id, entry);
    send(entry);
  };

  const send = (entry: Entry): void => {
    waiting.delete(entry);
    entry.state = 'sent';
    entry.sends += 1;
    const sends = entry.sends;
    deps.ask({ kind: 'settle', message: entry.message }, deps.deadlineMs, {
      answered: (answer) => onAnswer(entry, sends, answer),
      late: (result) => onAnswer(entry, sends, { ok: true, result }),
    });
  };

  const onAnswer = (entry: Entry, sends: number, answer: Answer): void => {
    // After the shard was reopened, the answer to an earlier send is void.
    if (sends !== entry.sends || entry.state === 'acknowledged' || gone(entry)) return;
    if (answer.ok) return onAcknowledged(entry, answer.result);
    if (answer.failure.code === 'INVALID_ARGUMENT') {
      deps.onRejected(entry, answer.failure);
      return forget(entry);
    }
    wait(entry);
  };

  const wait = (entry: Entry): void => {
    entry.state = 'waiting';
    entry.failures += 1;
    const pauseMs = Math.min(RETRY_FIRST_MS * 2 ** Math.min(entry.failures - 1, 10), RETRY_MOST_MS);
    entry.dueMs = deps.nowMs() + pauseMs;
    waiting.add(entry);
    arm(pauseMs);
  };

  const onAcknowledged = (entry: Entry, result: SessionResult__Output): void => {
    const seq = result.settle?.seq ?? 0;
    const mark = marks.get(result.settle?.shard ?? entry.shard);
    // Its number belongs to an earlier epoch and was lost with it, while the mark counts in the
    // current one. A policy of an earlier release sends no epoch.
    const epoch = result.settle?.epoch ?? 0;
    if (mark !== undefined && epoch !== 0 && epoch < mark.epoch) return send(entry);
    waiting.delete(entry);
    // A cancelled hold has no ledger entry to wait for.
    if (seq === 0) {
      forget(entry);
      return remember({ message: entry.message, shard: result.settle?.shard ?? entry.shard });
    }
    entry.shard = result.settle?.shard ?? entry.shard;
    // The mark may arrive before this answer, on another session.
    if (seq <= (mark?.booked ?? 0)) return forget(entry);
    entry.state = 'acknowledged';
    entry.seq = seq;
    acknowledged += 1;
    const shard = byShard.get(entry.shard) ?? new TransientMap();
    shard.set(idOf(entry), entry);
    byShard.set(entry.shard, shard);
  };

  const forget = (entry: Entry): void => {
    if (entry.state === 'acknowledged') acknowledged -= 1;
    waiting.delete(entry);
    byShard.get(entry.shard)?.delete(idOf(entry));
    entries.delete(idOf(entry));
    entry.onBooked?.();
    if (entries.size === 0) drained?.();
  };

  const remember = (settle: Settle): void => {
    const now = deps.nowMs();
    cancelled.push({ settle, atMs: now });
    const old = cancelled.findIndex(({ atMs }) => now - atMs <= CANCELLED_KEPT_MS);
    cancelled.splice(0, Math.max(old, cancelled.length - CANCELLED_MOST));
  };

  const gone = (entry: Entry): boolean => entries.get(idOf(entry)) !== entry;

  const booked = (news: readonly BookedMark__Output[]): void => {
    for (const { shard, epoch, booked: position } of news) {
      const known = marks.get(shard);
      // The epoch changed unnoticed, for example while no session was open.
      if (known && known.epoch !== epoch) reopened([shard]);
      marks.set(shard, { epoch, booked: position });
      for (const entry of byShard.get(shard)?.values() ?? []) {
        if (entry.seq <= position) forget(entry);
      }
    }
  };

  const reopened = (shards: readonly number[]): void => {
    for (const shard of shards) {
      const lost = byShard.get(shard);
      byShard.delete(shard);
      marks.delete(shard);
      for (const entry of lost?.values() ?? []) {
        acknowledged -= 1;
        send(entry);
      }
      // Pending settles may have been processed before the loss and be answered after it.
      for (const entry of entries.values()) {
        if (entry.shard === shard && entry.state === 'sent' && lost?.has(idOf(entry)) !== true)
          send(entry);
      }
    }
    const oldest = deps.nowMs() - CANCELLED_KEPT_MS;
    const again = cancelled.filter(({ settle }) => shards.includes(settle.shard));
    cancelled = cancelled.filter(({ settle }) => !shards.includes(settle.shard));
    for (const { settle, atMs } of again) if (atMs >= oldest) submit(settle);
  };

  const retryDue = (now: number): void => {
    const due = [...waiting].filter((entry) => entry.dueMs <= now);
    for (const entry of due.slice(0, RETRY_BATCH)) send(entry);
    if (waiting.size > 0) arm(RETRY_FIRST_MS);
  };

  const arm = (ms: number): void => {
    if (stopped) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      retryDue(deps.nowMs());
    }, ms);
  };

  const drain = async (deadlineMs: number): Promise<Settle[]> => {
    retryDue(Number.POSITIVE_INFINITY);
    if (entries.size > 0) {
      await new Promise<void>((resolve) => {
        const over = setTimeout(resolve, deadlineMs);
        drained = () => {
          clearTimeout(over);
          resolve();
        };
      });
    }
    return [...entries.values()].map(({ message, shard }) => ({ message, shard }));
  };

  return {
    submit,
    booked,
    reopened,
    retryNow: () => retryDue(Number.POSITIVE_INFINITY),
    queued: () => entries.size - acknowledged,
    kept: () => entries.size,
    full: () => entries.size >= deps.most,
    drain,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

function idOf({ message }: Settle): string {
  return message.requestId ?? '';
}
