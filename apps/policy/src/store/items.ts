// What goes into the store and what comes out of it. Amounts are bigint: nano-USD for money, else a
// count, 0 to MAX_AMOUNT. Instants are milliseconds of the Redis server's clock.
import type { QuotaMetric, ScopeType } from '@tollgate/contracts';

/** 9·10^15: sums of admitted amounts stay exact in Lua's doubles. */
export const MAX_AMOUNT = 9_000_000_000_000_000n;

/**
 * WINDOW: a budget or quota, held before and settled after, counted per window.
 * POST_PAID: a quota that nobody can know beforehand (ERRORS, LATENCY_MS): nothing is held, and
 *   requests are refused once `settled` has reached the limit.
 * RATE: at most `limit` in any 60 seconds. Volatile: starts at zero.
 * CONCURRENCY: at most `limit` holds at once. Volatile.
 */
export type CounterKind = 'WINDOW' | 'POST_PAID' | 'RATE' | 'CONCURRENCY';

export type CounterRef = {
  limitId: string;
  kind: CounterKind;
  /** The window of the authorise instant; both 0 for RATE and CONCURRENCY. */
  windowStartMs: number;
  windowEndMs: number;
};

export type AuthorizeCounter = CounterRef & {
  limit: bigint;
  /** SOFT limits are counted like others but never refuse. */
  soft: boolean;
  /** What to hold. 0 for POST_PAID, 1 for CONCURRENCY and for requests per minute. */
  amount: bigint;
};

export type ExtendCounter = CounterRef & {
  limit: bigint;
  soft: boolean;
  /** What the ticket says is held already. Taken without a check where Redis has lost it. */
  base: bigint;
  /** What shall be held in all after this step (≥ base). The difference is checked. */
  total: bigint;
};

export type CloseCounter = CounterRef & {
  /** What to charge: the actual amount; what was held for ABANDONED; 0 for CANCELLED. */
  spent: bigint;
};

/** One counter as the script saw it, after what the script itself added. */
export type CounterState = {
  limitId: string;
  /** null: cold, i.e. not known. For RATE: the sum of the last 60 seconds. */
  settled: bigint | null;
  held: bigint;
  /** RATE only: when the whole limit is free again if nothing more comes; else 0. */
  freeAtMs: number;
  /** RATE that refused: when the asked amount fits; 0 when it never can or did not refuse. */
  retryAtMs: number;
};

type ShardItem = { shard: number; /** The caller's epoch of the shard. */ epoch: number };

/**
 * The caller's epoch is not the shard's, or the shard's data can't be trusted.
 * `lost` false: only the caller is behind; go on with `epoch`. `lost` true: the data are gone or
 * rolled back (no meta, another server process, catalog is ahead): ask catalog for the next epoch
 * after `epoch` (null: not known) and `open` the shard.
 */
export type EpochOutcome = { kind: 'EPOCH'; lost: boolean; epoch: number | null };
/** The grace after data loss: ask again at `untilMs`, `nowMs` being the server's present. */
export type ClosedOutcome = { kind: 'CLOSED'; untilMs: number; nowMs: number };
/** These counters must be seeded first. */
export type ColdOutcome = { kind: 'COLD'; limitIds: string[] };
/** A window given does not hold the server's present: compute windows anew at `nowMs`. */
export type ClockOutcome = { kind: 'CLOCK'; nowMs: number };

export type AuthorizeItem = ShardItem & {
  requestId: string;
  /**
   * The encoded ticket. Stored with the hold and returned to whoever asks again: all that extending and
   * closing need, except the authorise instant, which only the script knows.
   */
  ticketText: string;
  /** Names this call among all that ask for the same request; see CloseItem. */
  attempt?: string;
  leaseMs: number;
  counters: AuthorizeCounter[];
};

export type AuthorizeOutcome =
  | {
      kind: 'ALLOW';
      /** The authorise instant: the request is charged to the windows of this instant. */
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
       * Every hard limit that would be passed. Nothing was held. To fit a budget that clamps, take
       * limit − settled − held of its state, lower the output bound until every counter's amount
       * fits, and ask again with all amounts recomputed from that one bound.
       */
      limitIds: string[];
      softExceeded: string[];
      /** Counters that are cold: they may refuse too, once known. */
      coldLimitIds: string[];
      states: CounterState[];
    }
  | ColdOutcome
  | EpochOutcome
  | ClosedOutcome
  /** Too much of the shard's ledger is not booked yet. */
  | { kind: 'LEDGER_FULL'; undrained: number }
  | ClockOutcome
  /** The request has ended before: its id can't be used again. */
  | { kind: 'ENDED'; state: EndedState };

export type EndedState = 'SETTLED' | 'CANCELLED' | 'ABANDONED';

export type ExtendItem = ShardItem & {
  requestId: string;
  authorisedAtMs: number;
  leaseMs: number;
  /** How often the hold has been extended, this step included; 0 with `base` = `total` only moves the lease. */
  step: number;
  /** The ticket before this step, stored when the hold is adopted but the step refused. */
  previousTicketText: string;
  /** The ticket with the new totals, stored when the step is granted. */
  ticketText: string;
  counters: ExtendCounter[];
};

/** In every outcome but GONE and EPOCH the hold lives, with its lease moved. */
export type ExtendOutcome =
  | {
      /** ADOPTED: granted, and (part of) the hold had to be taken again after data loss. */
      kind: 'GRANTED' | 'ADOPTED';
      leaseUntilMs: number;
      states: CounterState[];
      softExceeded: string[];
    }
  | { kind: 'DENY'; leaseUntilMs: number; limitIds: string[]; states: CounterState[] }
  | (ColdOutcome & { leaseUntilMs: number })
  | (ClosedOutcome & { leaseUntilMs: number })
  | { kind: 'GONE'; state: EndedState }
  | EpochOutcome;

export type CloseMode = 'SETTLED' | 'CANCELLED' | 'ABANDONED';

/** What the entry adds to a limit of each metric (contracts' metricAmount). */
export type UsageVector = Record<QuotaMetric, bigint>;

/** Ids of what the request belongs to; empty: none. */
export type Dimensions = Record<ScopeType, string>;

export type CloseItem = ShardItem & {
  requestId: string;
  mode: CloseMode;
  /** CANCELLED only: nobody heard that the hold was taken. Leaves it be where somebody has since. */
  orphan?: boolean;
  /** Orphans only: the authorize call that alone can have taken the hold. Default: any. */
  attempt?: string;
  authorisedAtMs: number;
  /** The lease end in the hold token; a CANCELLED later than this may follow an ABANDONED that is forgotten here. */
  leaseUntilMs: number;
  counters: CloseCounter[];
  usage: UsageVector;
  dimensions: Dimensions;
  /** Whatever else the ledger entry shall carry, opaque to the store. */
  payload: string;
  /** False: nobody asks for the counters' states, and the answer has none. Default true. */
  states?: boolean;
};

export type CloseOutcome =
  | {
      kind: 'CLOSED';
      /**
       * Ledger number. 0 when the close leaves no entry, as most CANCELLED do: no booked mark ever
       * covers these, so who must be able to repeat them after data loss keeps them for a time.
       */
      seq: number;
      nowMs: number;
      /** A close after ABANDONED: charged nothing here, its entry tells catalog. */
      late: boolean;
      /** The hold was not known here (data loss, or long ended). */
      unknown: boolean;
      states: CounterState[];
    }
  /** Ended before; `seq` of that end, 0 if it left no entry. */
  | { kind: 'DUP'; state: EndedState; seq: number }
  /** ABANDONED only: the lease has been moved on. */
  | { kind: 'ALIVE'; leaseUntilMs: number }
  /** ABANDONED only: nothing is known of this hold; it has left the list of leases. */
  | { kind: 'UNKNOWN' }
  /** Orphans only: there is no such hold, or whoever asked again owns it. */
  | { kind: 'KEPT' }
  | EpochOutcome;

export type SeedCounter = {
  limitId: string;
  windowStartMs: number;
  windowEndMs: number;
  /** Catalog's total for this window, at `position` and `rev`. */
  total: bigint;
  metric: QuotaMetric;
  scopeType: ScopeType;
  scopeId: string;
};

/** Totals that catalog read in one transaction; `epoch` is the one it read there. */
export type SeedItem = ShardItem & {
  position: number;
  rev: number;
  counters: SeedCounter[];
};

export type SeedResult = {
  limitId: string;
  /** WARM: another caller was first. CLOCK: the window does not hold the server's present. */
  kind: 'SEEDED' | 'WARM' | 'CLOCK';
};

export type SeedOutcome =
  | { kind: 'DONE'; nowMs: number; results: SeedResult[] }
  /** The totals are older than what has been booked or corrected: read them again. */
  | { kind: 'STALE' }
  /** Too much is not drained yet: drain, then read the totals again. */
  | { kind: 'LAG'; undrained: number }
  | ClosedOutcome
  | EpochOutcome;

export type BookItem = ShardItem & {
  /** Catalog has committed every entry up to here. For a correction: the last known position. */
  position: number;
  rev: number;
  forgetLimitIds: string[];
  /**
   * Forgets every counter of the shard. For whoever finds catalog further than what it booked itself
   * (another policy died between Append and book, or an answer to Append was lost): the list of what
   * to forget went with it.
   */
  forgetAll?: boolean;
};

export type BookOutcome = { kind: 'BOOKED'; booked: number; seq: number } | EpochOutcome;

/**
 * To open a lost shard: read its meta once more (another policy may have opened it meanwhile), have
 * catalog advance the epoch it is at, open with what it answers.
 */
export type OpenItem = {
  shard: number;
  /** The epoch that catalog granted. */
  newEpoch: number;
  /** Catalog's position and revision of the shard, from the same answer. */
  position: number;
  rev: number;
  /** How long new requests are refused; 0 for a shard that never had an epoch. */
  graceMs: number;
};

export type OpenOutcome =
  | { kind: 'OPENED'; closedUntilMs: number }
  /** The shard is at this epoch or a later one already; `lost` as in EpochOutcome. */
  | { kind: 'ALREADY'; epoch: number; lost: boolean };
