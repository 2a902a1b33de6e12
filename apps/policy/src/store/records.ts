// What is read of a shard: its meta, ledger entries, holds and counters. Instants in milliseconds.
import type { CloseMode, Dimensions, EndedState, UsageVector } from './items';

export type ShardMeta = {
  epoch: number;
  seq: number;
  booked: number;
  floor: number;
  rev: number;
  closedUntilMs: number;
  /** False: the server process is another one than when the shard was opened. */
  sameServer: boolean;
};

export type LedgerEntry = {
  seq: number;
  requestId: string;
  /** CANCELLED: it corrects an ABANDONED of the same request, and means nothing where there is none. */
  mode: CloseMode;
  /** Ended as ABANDONED before: this entry corrects it. */
  late: boolean;
  authorisedAtMs: number;
  closedAtMs: number;
  usage: UsageVector;
  dimensions: Dimensions;
  touched: { limitId: string; windowStartMs: number; windowEndMs: number; amount: bigint }[];
  payload: string;
};

/** An entry that can't be read, with its fields as they lie in Redis, for the quarantine. */
export type BrokenEntry = { seq: number; problem: string; raw: string };

export type LedgerPage = {
  entries: (LedgerEntry | BrokenEntry)[];
  /** The first entry is not the one after `fromSeq`: entries are missing before this number. */
  gapBefore: number | null;
};

export type Hold = {
  requestId: string;
  state: 'HELD' | EndedState;
  authorisedAtMs: number;
  /** 0 once ended. */
  leaseUntilMs: number;
  /** 0 while held. */
  endedAtMs: number;
  /** Ledger number of the end; 0: none. */
  seq: number;
  step: number;
  ticketText: string;
};

export type StoredCounter = {
  limitId: string;
  /** 0 where the counter has no window or does not exist. */
  windowStartMs: number;
  windowEndMs: number;
  /** null: cold. */
  settled: bigint | null;
  held: bigint;
  freeAtMs: number;
};
