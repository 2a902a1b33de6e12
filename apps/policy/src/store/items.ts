// Inputs and outcomes of the store. Amounts are bigint: nano-USD for money, else a count, 0 to
// MAX_AMOUNT. Instants are milliseconds by the Redis server's clock.
import type { LimitScope, QuotaMetric, ScopeType } from '@tollgate/contracts';

/** 9·10^15: sums of admitted amounts stay exact in Lua's doubles. */
export const MAX_AMOUNT = 9_000_000_000_000_000n;

/**
 * WINDOW: a budget or quota, held before and settled after, counted per window.
 * POST_PAID: a quota whose amount is unknown until the end (ERRORS, LATENCY_MS). Nothing is held;
 * requests are refused once `settled` has reached the limit.
 * RATE: at most `limit` in any 60 seconds. Volatile: starts at zero.
 * CONCURRENCY: at most `limit` holds at once. Volatile.
 */
export type CounterKind = 'WINDOW' | 'POST_PAID' | 'RATE' | 'CONCURRENCY';

export interface CounterRef {
  /** With the hash of a value where the limit is on each. */ limitId: string;
  kind: CounterKind;
  /** The window of the authorise instant; both 0 for RATE and CONCURRENCY. */
  windowStartMs: number;
  windowEndMs: number;
}

export type AuthorizeCounter = CounterRef & {
  limit: bigint;
  /** SOFT limits are counted like hard ones but never refuse. */
  soft: boolean;
  /** Amount to hold. 0 for POST_PAID, 1 for CONCURRENCY and for requests per minute. */
  amount: bigint;
};

export type ExtendCounter = CounterRef & {
  limit: bigint;
  soft: boolean;
  /** What the ticket holds already. Taken again without a check where Redis has lost it. */
  base: bigint;
  /** The total to hold after this step (≥ base). The difference is checked. */
  total: bigint;
};

export type CloseCounter = CounterRef & {
  /** Amount to charge: the actual amount; the held amount for ABANDONED; 0 for CANCELLED. */
  spent: bigint;
};

/** One counter after the script's own changes. */
export interface CounterState {
  limitId: string;
  /** null: cold, i.e. unknown. For RATE: the sum of the last 60 seconds. */
  settled: bigint | null;
  held: bigint;
  /** RATE only: when the whole limit is free again if nothing more comes; else 0. */
  freeAtMs: number;
  /** RATE that refused: when the requested amount fits; 0 when it never fits or did not refuse. */
  retryAtMs: number;
  /** Of a try: the part of `held` that floats would give back. */ lent?: bigint;
}

interface ShardItem {
  shard: number;
  /** The caller's epoch of the shard. */ epoch: number;
}

/**
 * The caller's epoch is not the shard's, or the shard's data cannot be trusted. `lost` false: only
 * the caller is behind; continue with `epoch`. `lost` true: the data are gone or rolled back (no
 * meta, another server process, catalog is ahead): ask the catalog for the next epoch after `epoch`
 * (null: unknown) and `open` the shard.
 */
export interface EpochOutcome {
  kind: 'EPOCH';
  lost: boolean;
  epoch: number | null;
}
/** The grace after data loss: ask again at `untilMs`; `nowMs` is the server's time. */
export interface ClosedOutcome {
  kind: 'CLOSED';
  untilMs: number;
  nowMs: number;
}
/** These counters must be seeded first. */
export interface ColdOutcome {
  kind: 'COLD';
  limitIds: string[];
}
/** A given window does not contain the server's time: compute the windows again at `nowMs`. */
export interface ClockOutcome {
  kind: 'CLOCK';
  nowMs: number;
}

export type AuthorizeItem = ShardItem & {
  requestId: string;
  /**
   * The encoded ticket. Stored with the hold and returned to whoever asks again: all that extending and
   * closing need, except the authorise instant, which only the script knows.
   */
  ticketText: string;
  /** Distinguishes this call from other calls for the same request; see CloseItem. */
  attempt?: string;
  leaseMs: number;
  counters: AuthorizeCounter[];
};

export type AuthorizeOutcome =
  | {
      kind: 'ALLOW';
      /** The authorise instant: its windows are charged with the request. */
      nowMs: number;
      leaseUntilMs: number;
      /** The stored ticket: the first caller's, when the hold was there `already`. */
      ticketText: string;
      already: boolean;
      states: CounterState[];
      softExceeded: string[];
    }
  | {
      kind: 'DENY';
      nowMs: number;
      /**
       * Every hard limit that would be exceeded. Nothing was held. To fit a budget that clamps:
       * take limit − settled − held of its state, lower the output bound until every counter's
       * amount fits, and ask again with all amounts computed from that bound.
       */
      limitIds: string[];
      softExceeded: string[];
      /** Cold counters: they may refuse too, once seeded. */
      coldLimitIds: string[];
      states: CounterState[];
      /** Floats were asked to give back free parts of a refused counter: ask again. */
      lent?: true;
    }
  | ColdOutcome
  | EpochOutcome
  | ClosedOutcome
  /** Too many ledger entries of the shard are not booked yet. */
  | { kind: 'LEDGER_FULL'; undrained: number }
  | ClockOutcome
  /** The request has ended: its id cannot be used again. */
  | { kind: 'ENDED'; state: EndedState };

export type EndedState = 'SETTLED' | 'CANCELLED' | 'ABANDONED';

export type ExtendItem = ShardItem & {
  requestId: string;
  authorisedAtMs: number;
  leaseMs: number;
  /** Number of this extension, from 1. 0 with `base` = `total` only moves the lease. */
  step: number;
  /** The ticket before this step, stored when the hold is adopted but the step refused. */
  previousTicketText: string;
  /** Decided from this float. */ floatId?: string;
  /** The ticket with the new totals, stored when the step is granted. */
  ticketText: string;
  counters: ExtendCounter[];
};

/** The hold is live and its lease moved in every outcome except GONE and EPOCH. */
export type ExtendOutcome =
  | {
      /** ADOPTED: granted, and (part of) the hold was taken again after data loss. */
      kind: 'GRANTED' | 'ADOPTED';
      leaseUntilMs: number;
      states: CounterState[];
      softExceeded: string[];
    }
  | { kind: 'DENY'; leaseUntilMs: number; limitIds: string[]; states: CounterState[]; lent?: true }
  | (ColdOutcome & { leaseUntilMs: number })
  | (ClosedOutcome & { leaseUntilMs: number })
  | { kind: 'GONE'; state: EndedState }
  | EpochOutcome;

export type CloseMode = 'SETTLED' | 'CANCELLED' | 'ABANDONED';

/** What the entry adds to a limit of each metric (contracts' metricAmount). */
export type UsageVector = Record<QuotaMetric, bigint>;

/** Ids of the request's organisation, team, user, key and model; empty: none. */
export type Dimensions = Record<ScopeType, string>;

export type CloseItem = ShardItem & {
  requestId: string;
  mode: CloseMode;
  /**
   * CANCELLED only: the caller never learned of the hold. A hold that was asked for again since is
   * kept.
   */
  orphan?: boolean;
  /** Orphans only: the only authorize call that can have taken the hold. Default: any. */
  attempt?: string;
  /** Decided from this float. */ floatId?: string;
  authorisedAtMs: number;
  /**
   * The lease end in the hold token. A CANCELLED later than this may follow an ABANDONED whose hold
   * is forgotten here.
   */
  leaseUntilMs: number;
  counters: CloseCounter[];
  usage: UsageVector;
  dimensions: Dimensions;
  /** The rest of the ledger entry, opaque to the store. */
  payload: string;
  /** False: the reply has no counter states. Default true. */
  states?: boolean;
};

export type CloseOutcome =
  | {
      kind: 'CLOSED';
      /**
       * Ledger number. 0 when the close writes no entry, as most CANCELLED do: no booked mark
       * covers these, so a caller that must repeat them after data loss keeps them for a time.
       */
      seq: number;
      nowMs: number;
      /** A close after ABANDONED: it charges nothing here; its entry informs the catalog. */
      late: boolean;
      /** The hold was unknown here (data loss, or it ended long ago). */
      unknown: boolean;
      /** As in the entry: the hold's own instant where it was known. */
      authorisedAtMs: number;
      /** One digit for each windowed counter of the item, as in the entry: 1 = charged. */
      charged: string;
      states: CounterState[];
    }
  /** Ended before; `seq` of that end, 0 if it wrote no entry. */
  | { kind: 'DUP'; state: EndedState; seq: number }
  /** ABANDONED only: the lease was renewed. */
  | { kind: 'ALIVE'; leaseUntilMs: number }
  /** ABANDONED only: the hold is unknown; it was removed from the list of leases. */
  | { kind: 'UNKNOWN' }
  /** Orphans only: there is no such hold, or a repeated request owns it. */
  | { kind: 'KEPT' }
  | EpochOutcome;

export interface SeedCounter {
  limitId: string;
  windowStartMs: number;
  windowEndMs: number;
  /** Catalog's total for this window, at `position` and `rev`. */
  total: bigint;
  metric: QuotaMetric;
  scopeType: LimitScope;
  scopeId: string;
}

/** Totals that the catalog read in one transaction, with the epoch it read there. */
export type SeedItem = ShardItem & {
  position: number;
  rev: number;
  counters: SeedCounter[];
};

export interface SeedResult {
  limitId: string;
  /** WARM: another caller was first. CLOCK: the window does not contain the server's time. */
  kind: 'SEEDED' | 'WARM' | 'CLOCK';
}

export type SeedOutcome =
  | { kind: 'DONE'; nowMs: number; results: SeedResult[] }
  /** The totals are older than what has been booked or corrected: read them again. */
  | { kind: 'STALE' }
  /** Too many entries are undrained: drain, then read the totals again. */
  | { kind: 'LAG'; undrained: number }
  | ClosedOutcome
  | EpochOutcome;

export type BookItem = ShardItem & {
  /** The catalog has committed every entry up to here. Of a correction: the last known position. */
  position: number;
  rev: number;
  forgetLimitIds: string[];
  /**
   * Forgets every counter of the shard. For a caller that finds the catalog ahead of what it booked
   * itself (another policy died between Append and book, or an Append reply was lost): the list of
   * counters to forget is unknown.
   */
  forgetAll?: boolean;
};

export type BookOutcome = { kind: 'BOOKED'; booked: number; seq: number } | EpochOutcome;

// A lost shard's meta is read again (another policy may have opened it); the catalog advances the epoch.
export interface OpenItem {
  shard: number;
  /** The epoch that the catalog granted. */
  newEpoch: number;
  /** The catalog's position and revision of the shard, from the same reply. */
  position: number;
  rev: number;
  /** How long new requests are refused; 0 for a shard without an epoch before. */
  graceMs: number;
}

export type OpenOutcome =
  | { kind: 'OPENED'; closedUntilMs: number }
  /** The shard is already at this epoch or a later one; `lost` as in EpochOutcome. */
  | { kind: 'ALREADY'; epoch: number; lost: boolean };
