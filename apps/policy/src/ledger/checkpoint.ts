import { isValueCounter } from '@tollgate/contracts';
import type { CheckpointRequest, HoldState } from '@tollgate/contracts/node';
import type { Logger } from '@tollgate/kit';

import { abandonedSettle, closeOf, decodeTicket } from '../holds';
import type { Hold, Store } from '../store';

export interface CheckpointDeps {
  readonly store: Pick<Store, 'endedHolds' | 'heldHolds' | 'readHold' | 'reportedHolds'>;
  readonly report: (request: CheckpointRequest) => Promise<unknown>;
  readonly log: Logger;
}

/** Shorter holds are not reported: they end before anybody looks. */
const WORTH_REPORTING_MS = 5_000;
const BATCH_MAX = 500;

// Later reports win. The lease end orders the reports of a live hold; an end is later than any
// lease, and a late settle later than an abandonment.
const ENDED_VERSION = 2 ** 52;

/** Reports to the catalog long-lived holds and holds that ended other than SETTLED. */
export function createCheckpoint(deps: CheckpointDeps): (shard: number) => Promise<void> {
  const { store } = deps;

  const report = async (shard: number, holds: readonly Hold[]): Promise<void> => {
    const states = holds.flatMap((hold) => stateOf(deps, shard, hold));
    if (states.length > 0) await deps.report({ shard, holds: states });
  };

  return async (shard) => {
    const ended = await store.endedHolds(shard, BATCH_MAX);
    const held = await store.heldHolds(shard, WORTH_REPORTING_MS, BATCH_MAX);
    await report(shard, [...ended, ...held]);
    if (ended.length === 0) return;
    await store.reportedHolds(
      shard,
      ended.map(({ requestId }) => requestId),
    );
    // A hold that ended again during the report has just lost its list entry with it.
    const now = await Promise.all(ended.map(({ requestId }) => store.readHold(shard, requestId)));
    const again = now.filter((hold, index) => hold !== null && hold.state !== ended[index]?.state);
    await report(
      shard,
      again.filter((hold) => hold !== null),
    );
  };
}

export interface OwnCheckpointDeps {
  /** Holds of this process's memory that are older, by shard. */
  readonly holdsOlderThan: (ageMs: number, count: number) => ReadonlyMap<number, readonly Hold[]>;
  readonly report: (request: CheckpointRequest) => Promise<unknown>;
  readonly log: Logger;
}

/** Reports the long-lived holds that this process has in memory, whoever works on their shards. */
export function createOwnCheckpoint(deps: OwnCheckpointDeps): () => Promise<void> {
  return async () => {
    for (const [shard, held] of deps.holdsOlderThan(WORTH_REPORTING_MS, BATCH_MAX)) {
      const holds = held.flatMap((hold) => stateOf(deps, shard, hold));
      await deps.report({ shard, holds });
    }
  };
}

function stateOf(deps: Pick<CheckpointDeps, 'log'>, shard: number, hold: Hold): HoldState[] {
  try {
    return [holdState(hold)];
  } catch (error) {
    deps.log.error('a hold cannot be read for the checkpoint', {
      shard,
      requestId: hold.requestId,
      error,
    });
    return [];
  }
}

function holdState(hold: Hold): HoldState {
  const ticket = decodeTicket(hold.ticketText);
  const { subject } = ticket;
  const charged = new Map(
    closeOf({
      mode: 'ABANDONED',
      requestId: hold.requestId,
      ticket,
      authorisedAtMs: hold.authorisedAtMs,
      leaseUntilMs: hold.leaseUntilMs,
      settle: abandonedSettle(hold.requestId, ticket),
    }).counters.map(({ limitId, spent }) => [limitId, spent]),
  );
  return {
    requestId: hold.requestId,
    organisationId: subject.organisationId,
    teamId: subject.teamId,
    userId: subject.userId,
    apiKeyId: subject.apiKeyId,
    modelId: ticket.candidates[0]?.modelId ?? '',
    state: hold.state,
    authorisedAtMs: hold.authorisedAtMs,
    leaseUntilMs: hold.leaseUntilMs,
    endedAtMs: hold.endedAtMs,
    version: hold.state === 'HELD' ? hold.leaseUntilMs : ENDED_VERSION + hold.endedAtMs,
    counters: ticket.limits
      .filter(
        ({ kind, limitId }) => (kind === 'BUDGET' || kind === 'QUOTA') && !isValueCounter(limitId),
      )
      .map((limit) => ({
        limitId: limit.limitId,
        kind: limit.kind,
        windowStartMs: limit.windowStartMs,
        held: limit.held.toString(),
        // The charge of an abandoned hold; a settled one has a record.
        spent: (hold.state === 'ABANDONED' ? (charged.get(limit.limitId) ?? 0n) : 0n).toString(),
      })),
  };
}
