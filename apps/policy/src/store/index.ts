// The live store: counters, holds and the ledger stream of every shard, in Redis. Here live the
// connection, the key names, the Lua scripts and the decoding of their replies, and nothing that
// knows a request, a price or a session. What each script promises is said in its own file.
import { SHARDS } from '@tollgate/contracts';
import { type Clock, type Logger, systemClock } from '@tollgate/kit';
import { createCalls } from './calls';
import { connectCluster, connectOne } from './connection';
import { type HoldDeps, LATE_SLACK_MS, authorize, close, extend } from './holds';
import { type Issuer, type ResponseRef, forget, recall, remember } from './issuers';
import type {
  AuthorizeItem,
  AuthorizeOutcome,
  BookItem,
  BookOutcome,
  CloseItem,
  CloseOutcome,
  CounterRef,
  ExtendItem,
  ExtendOutcome,
  OpenItem,
  OpenOutcome,
  SeedItem,
  SeedOutcome,
} from './items';
import type { BrokenEntry, Hold, LedgerPage, ShardMeta, StoredCounter } from './records';

import { MEMBERS_KEY, OWNERS_KEY } from './keys';
import {
  type ReadDeps,
  endedHolds,
  expiredLeases,
  heldHolds,
  readCounters,
  readHold,
  readMeta,
  reportedHolds,
} from './reads';
import { asNumber } from './replies';
import { type Scripts, buildScripts } from './scripts';
import { book, open, readLedger, seed } from './shards';
import {
  type Attempted,
  type AttemptedItem,
  type RouteItem,
  type Routed,
  type UnrouteItem,
  attempted,
  route,
  unroute,
} from './upstreams';

export type * from './items';
export type * from './records';
export type * from './upstreams';
export type { Issuer, PendingHold, ResponseRef } from './issuers';
export { MAX_AMOUNT } from './items';
export { type Scripts, buildScripts } from './scripts';
export { SlowError, StoreUnavailableError, UnansweredError } from './unavailable';

export type StoreMetrics = {
  /** Called after every script: its name, the outcome's kind (or `error`) and how long it took. */
  scriptDone(script: string, outcome: string, seconds: number): void;
};

export type StoreOptions = {
  redis: { url: string; cluster: boolean };
  log: Logger;
  clock?: Clock;
  metrics?: StoreMetrics;
  /** No call takes longer; a Redis that does not answer is a StoreUnavailableError by then. */
  deadlineMs: number;
  /** A hold is offered to the sweeper this long after its lease ended. */
  leaseGraceMs: number;
  /** Entries of one shard that may wait to be booked before new requests are refused. */
  ledgerStreamMax: number;
  /** Undrained entries that a seed is willing to look through. Default 1000. */
  seedScanMax?: number;
  /** Other scripts than the real ones: a test's clock, or a guard taken out to see what it guards. */
  scripts?: Scripts;
  /**
   * Responses of one organisation whose issuers are kept; beyond it the oldest are forgotten.
   * Default 100,000.
   */
  issuersMax?: number;
};

/**
 * Calls made in the same event-loop turn go out as one pipeline, holds that are taken or ended in one
 * shard as one script, each of them whole by itself. Refusals are outcomes; a Redis that
 * is away, frozen or refuses (out of memory) throws StoreUnavailableError.
 */
export type Store = {
  /** Waits for the first connection, at most `deadlineMs`; goes on trying in the background. */
  connect(): Promise<void>;
  stop(): Promise<void>;

  /**
   * Takes every hold or none. Idempotent by request id. When it throws UnansweredError the hold may
   * have been taken all the same: close the request as an orphan once Redis is back and
   * `orphanAfterMs` have gone by, after which the call can take no effect any more.
   */
  authorize(item: AuthorizeItem): Promise<AuthorizeOutcome>;
  /** Moves the lease, holds more, or takes a lost hold again. Idempotent: it carries totals. */
  extend(item: ExtendItem): Promise<ExtendOutcome>;
  /** Ends a hold once. */
  close(item: CloseItem): Promise<CloseOutcome>;
  /** How long after an authorize went unanswered it may still take a hold. */
  readonly orphanAfterMs: number;
  /** Makes cold counters known. All counters of one item belong to one WindowTotals answer. */
  seed(item: SeedItem): Promise<SeedOutcome>;
  /** Catalog has committed up to a position: trims the stream, forgets counters. */
  book(item: BookItem): Promise<BookOutcome>;
  /** Starts a new epoch after data loss, or the first one. */
  open(item: OpenItem): Promise<OpenOutcome>;

  /** Keeps which connection made a response, for 30 days. */
  rememberIssuer(response: ResponseRef, issuer: Issuer): Promise<void>;
  /** null: not known, or forgotten. */
  /** `renew`: it is kept as long again. */
  recallIssuer(response: ResponseRef, renew?: boolean): Promise<Issuer | null>;
  forgetIssuer(response: ResponseRef): Promise<void>;

  /** Which candidates can be used now, and whose turn it is. May take the probe of one of them. */
  route(item: RouteItem): Promise<Routed>;
  /** Gives back a turn and a probe that came to nothing. */
  unroute(item: UnrouteItem): Promise<void>;
  /** An attempt has ended: what its upstream's breaker, cooldown and latency come to by it. */
  attempted(item: AttemptedItem): Promise<Attempted>;

  /** null: the shard has no meta (never opened, or lost). */
  readMeta(shard: number): Promise<ShardMeta | null>;
  /** Entries fromSeq+1 and on, in order, at most `count`. */
  readLedger(shard: number, fromSeq: number, count: number): Promise<LedgerPage>;
  /** Ids of holds whose lease ended more than `leaseGraceMs` ago, oldest first. */
  expiredLeases(shard: number, count: number): Promise<string[]>;
  readHold(shard: number, requestId: string): Promise<Hold | null>;
  /** Holds that live and were authorised more than `olderThanMs` ago; at most `count`, oldest leases first. */
  heldHolds(shard: number, olderThanMs: number, count: number): Promise<Hold[]>;
  /** Holds that ended other than SETTLED and were not yet reported, oldest first. */
  endedHolds(shard: number, count: number): Promise<Hold[]>;
  /** These ended holds have been reported. */
  reportedHolds(shard: number, requestIds: string[]): Promise<void>;
  /** Counters as they are now, changed by nothing. For RATE the sum of the last 60 seconds. */
  readCounters(
    shard: number,
    counters: Pick<CounterRef, 'limitId' | 'kind'>[],
  ): Promise<StoredCounter[]>;

  /**
   * The shards whose background work (drain, sweep, checkpoint) is this owner's for the next
   * `ttlMs`. Called again before that ends, it renews, takes its fair share of what is free and
   * gives up what is more than its share. Two owners for a moment do no harm: every step is safe
   * to repeat.
   */
  claimShards(ownerId: string, ttlMs: number): Promise<number[]>;
  releaseShards(ownerId: string): Promise<void>;

  /** One round trip to every server. Throws StoreUnavailableError. */
  ping(): Promise<{ latencyMs: number }>;
};

export function isBroken(entry: LedgerPage['entries'][number]): entry is BrokenEntry {
  return 'problem' in entry;
}

const SEED_SCAN_MAX = 1_000;
const ISSUERS_MAX = 100_000;

export function createStore(options: StoreOptions): Store {
  const { redis, log, deadlineMs, leaseGraceMs, ledgerStreamMax, clock = systemClock } = options;
  const scripts = options.scripts ?? buildScripts();
  const connect = redis.cluster ? connectCluster : connectOne;
  const connection = connect({ url: redis.url, scripts, deadlineMs, clock, log });
  const calls = createCalls(connection, (script, outcome, seconds) =>
    options.metrics?.scriptDone(script, outcome, seconds),
  );
  const scanMax = options.seedScanMax ?? SEED_SCAN_MAX;
  const issuersMax = options.issuersMax ?? ISSUERS_MAX;
  const reads: ReadDeps = { calls, connection, leaseGraceMs };
  const holds: HoldDeps = {
    calls,
    clock,
    deadlineMs,
    ledgerStreamMax,
  };
  const claim = async (ownerId: string, ttlMs: number): Promise<number[]> => {
    const args = [ownerId, String(ttlMs), String(SHARDS)];
    return (await calls.script('claim', [OWNERS_KEY, MEMBERS_KEY], () => args)).map(asNumber);
  };
  return {
    connect: () => connection.connect(),
    stop: () => connection.stop(),
    authorize: (item) => authorize(holds, item),
    extend: (item) => extend(holds, item),
    close: (item) => close(holds, item),
    orphanAfterMs: deadlineMs + LATE_SLACK_MS,
    seed: (item) => seed(calls, scanMax, item),
    book: (item) => book(calls, item),
    open: (item) => open(calls, item),
    rememberIssuer: (response, issuer) => remember(calls, issuersMax, response, issuer),
    recallIssuer: (response, renew = false) => recall(calls, response, renew),
    forgetIssuer: (response) => forget(calls, response),
    route: (item) => route(calls, item),
    unroute: (item) => unroute(calls, item),
    attempted: (item) => attempted(calls, item),
    readMeta: (shard) => readMeta(reads, shard),
    readLedger: (shard, fromSeq, count) => readLedger(calls, shard, fromSeq, count),
    expiredLeases: (shard, count) => expiredLeases(reads, shard, count),
    readHold: (shard, requestId) => readHold(reads, shard, requestId),
    heldHolds: (shard, olderThanMs, count) => heldHolds(reads, shard, olderThanMs, count),
    endedHolds: (shard, count) => endedHolds(reads, shard, count),
    reportedHolds: (shard, requestIds) => reportedHolds(reads, shard, requestIds),
    readCounters: (shard, counters) => readCounters(reads, shard, counters),
    claimShards: claim,
    async releaseShards(ownerId) {
      await claim(ownerId, 0);
    },
    async ping() {
      const startedAt = performance.now();
      const servers = await connection.servers();
      await Promise.all(servers.map((server) => server.command(['PING'])));
      return { latencyMs: performance.now() - startedAt };
    },
  };
}
