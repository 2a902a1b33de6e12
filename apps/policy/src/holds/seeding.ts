import { setImmediate as turn } from 'node:timers/promises';
import { isOneOf, LIMIT_SCOPES, QUOTA_METRICS } from '@tollgate/contracts';
import type {
  ShardState__Output,
  WindowQuery,
  WindowTotalsReply__Output,
} from '@tollgate/contracts/node';
import type { Clock } from '@tollgate/kit';

import { Failure, unavailable } from '../failure';
import type { SeedCounter, Store } from '../store';
import type { Epochs } from './epochs';
import type { HeldLimit } from './ticket';

export interface SeedingDeps {
  readonly store: Pick<Store, 'seed'>;
  readonly epochs: Epochs;
  readonly windowTotals: (
    shard: number,
    organisationId: string,
    windows: WindowQuery[],
  ) => Promise<WindowTotalsReply__Output>;
  /** Asks the shard's drainer to hurry: totals are too far behind the stream. */
  readonly drainSoon: (shard: number) => void;
  readonly clock: Clock;
  readonly wait: (ms: number) => Promise<void>;
}

export interface SeedRequest {
  readonly shard: number;
  readonly organisationId: string;
  readonly limits: readonly HeldLimit[];
  readonly deadlineAtMs: number;
}

/** `gone`: limits that the catalog no longer has; the caller's context is outdated. */
export interface Seeded {
  readonly gone: readonly string[];
}

const LAG_WAIT_MS = 20;
const ROUNDS_MAX = 20;
/** Counters read and seeded in one batch; it occupies the store for a few milliseconds. */
const COUNTERS_MAX = 100;

/** A counter that requests wait for. Resolves to whether its limit is gone. */
interface SeedWait extends PromiseWithResolvers<boolean> {
  readonly limit: HeldLimit;
  /** The latest deadline of the waiting requests. */
  deadlineAtMs: number;
}

/** Counters that one organisation needs seeded: waiting and under way. */
interface OrganisationSeeds {
  readonly all: Map<string, SeedWait>;
  waiting: SeedWait[];
}

/**
 * Seeds cold counters from the catalog's totals. Requests for the same counter share one read, and
 * the cold counters of an organisation are read together. Rejects without the catalog: an unknown
 * counter is never taken for zero.
 */
export function createSeeding(deps: SeedingDeps): (request: SeedRequest) => Promise<Seeded> {
  const organisations = new Map<string, OrganisationSeeds>();

  const waitFor = (
    { all, waiting }: OrganisationSeeds,
    limit: HeldLimit,
    deadlineAtMs: number,
  ): SeedWait => {
    const counter = counterOf(limit);
    const known = all.get(counter);
    if (known !== undefined) {
      known.deadlineAtMs = Math.max(known.deadlineAtMs, deadlineAtMs);
      return known;
    }
    const wait = { ...Promise.withResolvers<boolean>(), limit, deadlineAtMs };
    all.set(counter, wait);
    waiting.push(wait);
    return wait;
  };

  // One group at a time. Never rejects: every waiting request gets its result or error.
  const run = async (
    shard: number,
    organisationId: string,
    seeds: OrganisationSeeds,
  ): Promise<void> => {
    // Requests arrive in frames, so counters of one turn are collected.
    await turn();
    while (seeds.waiting.length > 0) {
      const group = seeds.waiting.splice(0, COUNTERS_MAX);
      await seedGroup(shard, organisationId, group);
      for (const { limit } of group) seeds.all.delete(counterOf(limit));
    }
    organisations.delete(organisationId);
  };

  const seedGroup = async (
    shard: number,
    organisationId: string,
    group: readonly SeedWait[],
  ): Promise<void> => {
    try {
      const gone = await seed(deps, shard, organisationId, group);
      for (const { limit, resolve } of group) resolve(gone.has(limit.limitId));
    } catch (error) {
      if (group.length === 1 || !isOfTotals(error)) {
        for (const { reject } of group) reject(error);
        return;
      }
      // One unreadable total must not block the others.
      await Promise.all(group.map((one) => seedGroup(shard, organisationId, [one])));
    }
  };

  return async ({ shard, organisationId, limits, deadlineAtMs }) => {
    let seeds = organisations.get(organisationId);
    if (seeds === undefined) {
      organisations.set(organisationId, (seeds = { all: new Map(), waiting: [] }));
      void run(shard, organisationId, seeds);
    }
    const waits = limits.map((limit) => waitFor(seeds, limit, deadlineAtMs));
    const gone = await Promise.all(waits.map(({ promise }) => promise));
    return { gone: limits.filter((_, at) => gone[at]).map(({ limitId }) => limitId) };
  };
}

const counterOf = (window: { limitId: string; windowStartMs: number }): string =>
  `${window.limitId}@${String(window.windowStartMs)}`;

const isOfTotals = (error: unknown): boolean =>
  error instanceof Failure && error.code === 'UNAVAILABLE' && error.dependency === 'catalog';

/** Resolves to the limits that the catalog no longer has. */
async function seed(
  deps: SeedingDeps,
  shard: number,
  organisationId: string,
  group: readonly SeedWait[],
): Promise<ReadonlySet<string>> {
  const limits = group.map(({ limit }) => limit);
  let before: Contradiction | undefined;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    if (group.every(({ deadlineAtMs }) => deps.clock.now() > deadlineAtMs)) break;
    const reply = await totals(deps, shard, organisationId, limits);
    const gone = reply.totals.filter((total) => !total.limitFound).map((total) => total.limitId);
    if (reply.state === null)
      throw unavailable('catalog', 'the catalog sent totals without the state of their shard');
    const contradicted = before;
    before = undefined;
    if (contradicted !== undefined && isBehind(reply.state, contradicted)) {
      const { storeEpoch } = contradicted;
      await deps.epochs.recover(shard, storeEpoch, 'catalog_behind');
      continue;
    }
    const outcome = await deps.store.seed({
      shard,
      epoch: reply.state.epoch,
      position: reply.state.lastSeq,
      rev: reply.state.rev,
      counters: seedCounters(limits, reply),
    });
    switch (outcome.kind) {
      case 'DONE':
        return new Set(gone);
      case 'STALE':
        before = { storeEpoch: reply.state.epoch, state: reply.state };
        break;
      case 'LAG':
        deps.drainSoon(shard);
        await deps.wait(LAG_WAIT_MS);
        break;
      case 'CLOSED':
        throw unavailable('redis', 'the shard is closed for a moment after a loss of data');
      case 'EPOCH':
        if (!outcome.lost && outcome.epoch !== null) before = { storeEpoch: outcome.epoch };
        await deps.epochs.follow(shard, outcome);
        break;
    }
  }
  throw new Failure('DEADLINE_EXCEEDED', 'counters could not be read in time', 'catalog');
}

/** The store has more than the totals that the catalog sent. */
interface Contradiction {
  readonly storeEpoch: number;
  /** Of the catalog, in the same epoch; undefined: it was in another one. */
  readonly state?: ShardState__Output;
}

// The store is told of what the catalog has committed, so the next totals must have it, unless the
// catalog's database was restored from a backup.
function isBehind(present: ShardState__Output, { storeEpoch, state }: Contradiction): boolean {
  if (present.epoch !== storeEpoch) return present.epoch < storeEpoch;
  return state !== undefined && present.lastSeq <= state.lastSeq && present.rev <= state.rev;
}

async function totals(
  deps: SeedingDeps,
  shard: number,
  organisationId: string,
  limits: readonly HeldLimit[],
): Promise<WindowTotalsReply__Output> {
  try {
    return await deps.windowTotals(
      shard,
      organisationId,
      limits.map(({ limitId, windowStartMs, windowEndMs }) => ({
        limitId,
        windowStartMs,
        windowEndMs,
      })),
    );
  } catch (error) {
    throw unavailable('catalog', 'the totals of a limit are not known and cannot be read', error);
  }
}

// Metric and scope come from the catalog: they select the stream's entries that a total lacks.
function seedCounters(
  limits: readonly HeldLimit[],
  reply: WindowTotalsReply__Output,
): SeedCounter[] {
  const byCounter = new Map(limits.map((limit) => [counterOf(limit), limit]));
  const counters: SeedCounter[] = [];
  for (const total of reply.totals) {
    const limit = byCounter.get(counterOf(total));
    if (limit === undefined || !total.limitFound) continue;
    const { metric, scopeType, scopeId } = total;
    if (!isOneOf(QUOTA_METRICS, metric) || !isOneOf(LIMIT_SCOPES, scopeType)) {
      throw unavailable('catalog', `the total of limit ${total.limitId} is of an unknown kind`);
    }
    counters.push({
      limitId: limit.limitId,
      windowStartMs: limit.windowStartMs,
      windowEndMs: limit.windowEndMs,
      total: BigInt(total.settled),
      metric,
      scopeType,
      scopeId,
    });
  }
  return counters;
}
