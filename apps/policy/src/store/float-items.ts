import type {
  CloseCounter,
  CloseMode,
  CounterRef,
  Dimensions,
  EpochOutcome,
  UsageVector,
} from './items';

// Inputs and outcomes of posting and reclaiming floats. What a float is says
// scripts/float-entries.ts.

/** Ends of one post. */
export const POST_MAX = 64;
export const POST_COUNTERS_MAX = 128;
/** New journal entries of one post. */
export const JOURNAL_MAX = 256;
/** Holds to keep of one post. */
export const KEEPS_MAX = 64;
/** Requests to strike of one post. */
export const STRIKES_MAX = 1_024;
/** Corrections of one rate in one post. */
export const CORRECTIONS_MAX = 601;

/** What a post says of one counter, and asks of it. */
export type PostCounter = CounterRef & {
  limit: bigint;
  /** Whether the policy has an amount of it. */
  has: boolean;
  /** Charged by the ends of this post; for a rate what was decided since the last post. */
  spent: bigint;
  /** Amounts of the holds to keep; 0 for a rate. */
  kept: bigint;
  /** Amounts of the requests that go on. */
  need: bigint;
  /** What the policy uses until the answer, at least `need`. */
  keep: bigint;
  want: bigint;
  /** RATE: differences to what was charged at an instant. */
  corrections: readonly { atMs: number; by: bigint }[];
};

/** The end of a request that was decided from the float. */
export interface PostEnd {
  requestId: string;
  mode: CloseMode;
  authorisedAtMs: number;
  /** All its counters; windows and POST_PAID ones are counters of the post. */
  counters: readonly CloseCounter[];
  usage: UsageVector;
  dimensions: Dimensions;
  payload: string;
}

/** A request that goes on: what an ordinary hold of it would say. */
export interface PostEntry {
  requestId: string;
  authorisedAtMs: number;
  step: number;
  ticketText: string;
  counters: readonly (CounterRef & { amount: bigint })[];
}

export interface PostItem {
  shard: number;
  epoch: number;
  /** Never used twice: a policy that has lost its float takes another id. */
  floatId: string;
  /** From 1. The same number with the same content is applied once. */
  batch: number;
  floatLeaseMs: number;
  /** Lease of the holds to keep. */
  leaseMs: number;
  counters: readonly PostCounter[];
  ends: readonly PostEnd[];
  /** New entries of the journal. */
  journal: readonly PostEntry[];
  /** Become ordinary holds; their counters are counters of the post. */
  keeps: readonly PostEntry[];
  /** Requests whose journal entries go. */
  strikes: readonly string[];
  /** Nothing is left: the float goes. */
  last: boolean;
}

export interface PostedCounter {
  /** null: cold, or in another window. For RATE the sum of the last 60 seconds. */
  settled: bigint | null;
  /** By all holds and floats. */
  held: bigint;
  /** null: the counter is not the one that the policy had a float of. */
  incarnation: string | null;
  /** What the float has of it now. */
  target: bigint;
  /** Others were refused: give back what is free. */
  wanted: boolean;
}

export type PostOutcome =
  | {
      /** AGAIN: it had been applied before; the answer is that of then. */
      kind: 'POSTED' | 'AGAIN';
      nowMs: number;
      /** Ledger entries that wait to be booked. */
      undrained: number;
      /** Redis is out of memory, and takes nothing new. */
      full?: true;
      /** Of each end; 0: none. */
      seqs: number[];
      counters: PostedCounter[];
    }
  /** Nothing was applied: these requests have ended, or are held by others. */
  | { kind: 'ELSE'; requestIds: string[] }
  /** The float is over. */
  | { kind: 'GONE' }
  /** Later posts were applied. */
  | { kind: 'OLD' }
  /** Nothing was applied: the call came too late by the server's clock. */
  | { kind: 'LATE'; nowMs: number }
  | EpochOutcome;

export interface ReclaimItem {
  shard: number;
  epoch: number;
  floatId: string;
  /** Lease of the holds that its requests become. */
  leaseMs: number;
  /** The caller's own float ends now; others only after their lease. */
  own?: boolean;
}

export type ReclaimOutcome =
  | { kind: 'DONE' | 'MORE'; holds: number }
  | { kind: 'GONE' }
  | { kind: 'ALIVE'; leaseUntilMs: number }
  | EpochOutcome;
