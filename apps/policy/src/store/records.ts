// What is read of a shard: its meta, ledger entries, holds and counters. Instants in milliseconds.
import type { CloseMode, Dimensions, EndedState, UsageVector } from './items';

export interface ShardMeta {
  epoch: number;
  seq: number;
  booked: number;
  floor: number;
  rev: number;
  closedUntilMs: number;
  /** False: the server process is not the one that the shard was opened on. */
  sameServer: boolean;
}

export interface LedgerEntry {
  seq: number;
  requestId: string;
  /** CANCELLED: corrects an ABANDONED of the same request, and is a no-op without one. */
  mode: CloseMode;
  /** The hold ended as ABANDONED before: this entry corrects it. */
  late: boolean;
  authorisedAtMs: number;
  closedAtMs: number;
  usage: UsageVector;
  dimensions: Dimensions;
  touched: { limitId: string; windowStartMs: number; windowEndMs: number; amount: bigint }[];
  payload: string;
}

/** An unreadable entry with its raw fields, for the quarantine. */
export interface BrokenEntry {
  seq: number;
  problem: string;
  raw: string;
}

export interface LedgerPage {
  entries: (LedgerEntry | BrokenEntry)[];
  /** The first entry is not number fromSeq + 1: entries before this number are missing. */
  gapBefore: number | null;
}

export interface Hold {
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
}

export interface StoredCounter {
  limitId: string;
  /** 0 where the counter has no window or does not exist. */
  windowStartMs: number;
  windowEndMs: number;
  /** null: cold. */
  settled: bigint | null;
  held: bigint;
  freeAtMs: number;
}
