// The live store: counters, holds and the ledger stream of every shard, in Redis. This folder has
// the connection, key names, Lua scripts and the decoding of replies. It knows no requests, prices
// or sessions. Each script's file states what it guarantees.
import { SHARDS } from '@tollgate/contracts';
import { systemClock, type Clock, type Logger } from '@tollgate/kit';

import { createCalls } from './calls';
import { connectCluster, connectOne } from './connection';
import type { PostItem, PostOutcome, ReclaimItem, ReclaimOutcome } from './float-items';
import { expiredFloats, post, reclaim } from './floats';
import { authorize, close, extend, LATE_SLACK_MS, type HoldDeps } from './holds';
import {
  forget,
  grow,
  recall,
  recallItems,
  remember,
  type Growth,
  type Issuer,
  type Kept,
  type ResponseRef,
  type StoredOutput,
} from './issuers';
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
import { MEMBERS_KEY, OWNERS_KEY } from './keys';
import {
  endedHolds,
  expiredLeases,
  heldHolds,
  readCounters,
  readHold,
  readMeta,
  reportedHolds,
  type ReadDeps,
} from './reads';
import type { BrokenEntry, Hold, LedgerPage, ShardMeta, StoredCounter } from './records';
import { asNumber, asRow, asTexts } from './replies';
import { buildScripts, type Scripts } from './scripts';
import { book, open, readLedger, seed } from './shards';
import { tryAuthorize } from './try-authorize';
import {
  attempted,
  route,
  tryRoute,
  unroute,
  type Attempted,
  type AttemptedItem,
  type Routed,
  type RouteItem,
  type UnrouteItem,
} from './upstreams';

export type * from './float-items';
export { JOURNAL_MAX, KEEPS_MAX, POST_COUNTERS_MAX, POST_MAX } from './float-items';
export type * from './items';
export type * from './records';
export type * from './upstreams';
export type { Growth, Issuer, Kept, PendingHold, ResponseRef, StoredOutput } from './issuers';
export { clampAmount } from './calls';
export { MAX_AMOUNT } from './items';
export { touchedBy } from './ledger-entry';
export { type Scripts, buildScripts } from './scripts';
export { KEPT_BY } from './scripts/float-entries';
export { SlowError, StoreUnavailableError, UnansweredError } from './unavailable';

export interface StoreMetrics {
  /** Called after every script with its name, the outcome's kind (or `error`) and its duration. */
  scriptDone(script: string, outcome: string, seconds: number): void;
}

export interface StoreOptions {
  redis: { url: string; cluster: boolean };
  log: Logger;
  clock?: Clock;
  metrics?: StoreMetrics;
  /** Limit of every call; a Redis that does not reply by then is a StoreUnavailableError. */
  deadlineMs: number;
  /** How long after the end of its lease a hold is offered to the sweeper. */
  leaseGraceMs: number;
  /** Entries of one shard that may wait to be booked before new requests are refused. */
  ledgerStreamMax: number;
  /** Undrained entries that a seed scans at most. Default 1000. */
  seedScanMax?: number;
  /** How long an ended hold is remembered. Default 120 s. */
  endedKeptMs?: number;
  /** Replaces the real scripts in tests: with a test clock, or without a guard. */
  scripts?: Scripts;
  /**
   * Responses of one organisation whose issuers are kept; beyond it the oldest are dropped. Default
   * 100,000.
   */
  issuersMax?: number;
}

/**
 * Calls of one event-loop turn go out as one pipeline. Holds that are taken or ended in one shard
 * share one script; each remains atomic by itself. Refusals are outcomes. A Redis that is away,
 * frozen or out of memory throws StoreUnavailableError.
 */
export interface Store {
  /** Waits for the first connection, at most `deadlineMs`; connecting goes on in the background. */
  connect(): Promise<void>;
  stop(): Promise<void>;

  /**
   * Takes every hold or none. Idempotent by request id. After an UnansweredError the hold may have
   * been taken: close the request as an orphan once Redis is back and `orphanAfterMs` have passed.
   * The call cannot take effect after that.
   */
  authorize(item: AuthorizeItem): Promise<AuthorizeOutcome>;
  /**
   * What authorize would answer now. Takes and writes nothing. The states are those before the
   * request; free parts of floats do not refuse, as authorize would have them given back.
   */
  tryAuthorize(item: AuthorizeItem): Promise<AuthorizeOutcome>;
  /** Moves the lease, holds more, or takes a lost hold again. Idempotent: it carries totals. */
  extend(item: ExtendItem): Promise<ExtendOutcome>;
  /** Ends a hold once. */
  close(item: CloseItem): Promise<CloseOutcome>;
  /**
   * Reports what a policy decided from its float, and asks for amounts of counters in advance. All
   * or nothing. Sent again unchanged after an UnansweredError or LATE: it is applied once.
   */
  post(item: PostItem): Promise<PostOutcome>;
  /** Ends a float whose lease is over, or the caller's own; again while it replies MORE. */
  reclaim(item: ReclaimItem): Promise<ReclaimOutcome>;
  /** Ids of floats whose lease has been over for `graceMs` (0 by default), oldest first. */
  expiredFloats(shard: number, count: number, graceMs?: number): Promise<string[]>;
  /** How long after an unanswered authorize the call may still take a hold. */
  readonly orphanAfterMs: number;
  /** Seeds cold counters. All counters of one item belong to one WindowTotals reply. */
  seed(item: SeedItem): Promise<SeedOutcome>;
  /**
   * Records that the catalog has committed up to a position: trims the stream, forgets counters.
   */
  book(item: BookItem): Promise<BookOutcome>;
  /** Starts the first epoch, or a new one after data loss. */
  open(item: OpenItem): Promise<OpenOutcome>;

  /** Stores which connection made a response, for 30 days, and its output items. */
  rememberIssuer(response: ResponseRef, kept: Kept): Promise<void>;
  recallItems(
    organisation: Omit<ResponseRef, 'responseId'>,
    items: readonly string[],
  ): Promise<(StoredOutput | null)[]>;
  /** null: unknown or expired. `renew`: the row is kept as long again. */
  recallIssuer(response: ResponseRef, renew?: boolean): Promise<Issuer | null>;
  /** Adds a turn to what a follow-up of a conversation reads again. */
  growIssuer(conversation: ResponseRef, growth: Growth): Promise<boolean>;
  forgetIssuer(response: ResponseRef): Promise<void>;

  /**
   * Which candidates are available now, and the request's turn. May take the probe of one of them.
   */
  route(item: RouteItem): Promise<Routed>;
  /** What route would answer now. Takes neither a turn nor a probe. */
  tryRoute(item: RouteItem): Promise<Routed>;
  /** Returns an unused turn and an unused probe. */
  unroute(item: UnrouteItem): Promise<void>;
  /** Records an attempt in its upstream's breaker, cooldown and latency. */
  attempted(item: AttemptedItem): Promise<Attempted>;

  /** null: the shard has no meta (never opened, or lost). */
  readMeta(shard: number): Promise<ShardMeta | null>;
  /** Entries from fromSeq + 1, in order, at most `count`. */
  readLedger(shard: number, fromSeq: number, count: number): Promise<LedgerPage>;
  /** Ids of holds whose lease ended more than `leaseGraceMs` ago, oldest first. */
  expiredLeases(shard: number, count: number): Promise<string[]>;
  readHold(shard: number, requestId: string): Promise<Hold | null>;
  /**
   * Live holds that were authorised more than `olderThanMs` ago; at most `count`, oldest leases
   * first.
   */
  heldHolds(shard: number, olderThanMs: number, count: number): Promise<Hold[]>;
  /** Holds that ended other than SETTLED and are not yet reported, oldest first. */
  endedHolds(shard: number, count: number): Promise<Hold[]>;
  /** Marks ended holds as reported. */
  reportedHolds(shard: number, requestIds: string[]): Promise<void>;
  /** Reads counters without changing them. For RATE: the sum of the last 60 seconds. */
  readCounters(
    shard: number,
    counters: Pick<CounterRef, 'limitId' | 'kind'>[],
  ): Promise<StoredCounter[]>;

  /**
   * Claims shards whose background work (drain, sweep, checkpoint) is this owner's for `ttlMs`. A
   * repeated call renews the claim, takes the owner's fair share of free shards and releases the
   * surplus. Two owners of one shard for a moment are harmless: every step is idempotent.
   * `members`: everyone whose claim goes on, with or without shards.
   */
  claimShards(ownerId: string, ttlMs: number): Promise<{ shards: number[]; members: string[] }>;
  releaseShards(ownerId: string): Promise<void>;

  /** One round trip to every server. Throws StoreUnavailableError. */
  ping(): Promise<{ latencyMs: number }>;
}

export function isBroken(entry: LedgerPage['entries'][number]): entry is BrokenEntry {
  return 'problem' in entry;
}

const SEED_SCAN_MAX = 1_000;
const ISSUERS_MAX = 100_000;

export function createStore(options: StoreOptions): Store {
  const { redis, log, deadlineMs, leaseGraceMs, ledgerStreamMax, clock = systemClock } = options;
  const scripts = options.scripts ?? buildScripts(undefined, options.endedKeptMs);
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
  const claim: Store['claimShards'] = async (ownerId, ttlMs) => {
    const args = [ownerId, String(ttlMs), String(SHARDS)];
    const [shards, members] = await calls.script('claim', [OWNERS_KEY, MEMBERS_KEY], () => args);
    return { shards: asRow(shards).map(asNumber), members: asTexts(members) };
  };
  return {
    connect: () => connection.connect(),
    stop: () => connection.stop(),
    authorize: (item) => authorize(holds, item),
    tryAuthorize: (item) => tryAuthorize(holds, item),
    extend: (item) => extend(holds, item),
    close: (item) => close(holds, item),
    post: (item) => post(holds, item),
    reclaim: (item) => reclaim(calls, item),
    expiredFloats: (shard, count, graceMs = 0) => expiredFloats(calls, shard, count, graceMs),
    orphanAfterMs: deadlineMs + LATE_SLACK_MS,
    seed: (item) => seed(calls, scanMax, item),
    book: (item) => book(calls, item),
    open: (item) => open(calls, item),
    rememberIssuer: (response, kept) => remember(calls, issuersMax, response, kept),
    recallItems: (organisation, items) => recallItems(calls, organisation, items),
    recallIssuer: (response, renew = false) => recall(calls, response, renew),
    growIssuer: (conversation, growth) => grow(calls, conversation, growth),
    forgetIssuer: (response) => forget(calls, response),
    route: (item) => route(calls, item),
    tryRoute: (item) => tryRoute(calls, item),
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
