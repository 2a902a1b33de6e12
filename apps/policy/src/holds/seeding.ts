import type { WindowQuery, WindowTotalsReply__Output } from '@tollgate/contracts/node';
import { QUOTA_METRICS, SCOPE_TYPES, isOneOf } from '@tollgate/contracts';
import { type Clock, singleFlight } from '@tollgate/kit';

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

/** `gone`: limits that the catalog no longer has; whoever names them has an old context. */
export interface Seeded {
  readonly gone: readonly string[];
}

const LAG_WAIT_MS = 20;
const ROUNDS_MAX = 20;

/**
 * Makes cold counters known from the catalog's totals. Many requests that need the same counters
 * ask once. Without the catalog it rejects: a counter that is not known is never taken for zero.
 */
export function createSeeding(deps: SeedingDeps): (request: SeedRequest) => Promise<Seeded> {
  const flight = singleFlight<Seeded>();
  return (request) => {
    const key = request.limits.map((l) => `${l.limitId}@${String(l.windowStartMs)}`).sort();
    return flight(`${String(request.shard)}|${key.join()}`, () => seed(deps, request));
  };
}

async function seed(deps: SeedingDeps, request: SeedRequest): Promise<Seeded> {
  const { shard, organisationId, limits } = request;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    if (deps.clock.now() > request.deadlineAtMs) break;
    const reply = await totals(deps, shard, organisationId, limits);
    const gone = reply.totals.filter((total) => !total.limitFound).map((total) => total.limitId);
    if (reply.state === null)
      throw unavailable('catalog', 'totals without the state of their shard');
    const outcome = await deps.store.seed({
      shard,
      epoch: reply.state.epoch,
      position: reply.state.lastSeq,
      rev: reply.state.rev,
      counters: seedCounters(limits, reply),
    });
    switch (outcome.kind) {
      case 'DONE':
        return { gone };
      case 'STALE':
        break;
      case 'LAG':
        deps.drainSoon(shard);
        await deps.wait(LAG_WAIT_MS);
        break;
      case 'CLOSED':
        throw unavailable('redis', 'the shard is closed for a moment after a loss of data');
      case 'EPOCH':
        await deps.epochs.follow(shard, outcome);
        break;
    }
  }
  throw new Failure('DEADLINE_EXCEEDED', 'counters could not be read in time', 'catalog');
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

// Metric and scope are the catalog's: they say which entries of the stream a total lacks.
function seedCounters(
  limits: readonly HeldLimit[],
  reply: WindowTotalsReply__Output,
): SeedCounter[] {
  const counters: SeedCounter[] = [];
  for (const total of reply.totals) {
    const limit = limits.find(
      ({ limitId, windowStartMs }) =>
        limitId === total.limitId && windowStartMs === total.windowStartMs,
    );
    if (limit === undefined || !total.limitFound) continue;
    const { metric, scopeType, scopeId } = total;
    if (!isOneOf(QUOTA_METRICS, metric) || !isOneOf(SCOPE_TYPES, scopeType)) {
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
