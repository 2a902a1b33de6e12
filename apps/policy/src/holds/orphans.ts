import { randomBytes } from 'node:crypto';
import type { Clock, Logger } from '@tollgate/kit';

import { Failure } from '../failure';
import type { GiveBacks } from '../routing';
import { KEPT_BY, StoreUnavailableError, type Store } from '../store';
import { cancelledSettle, closeOf } from './closing';
import type { Epochs } from './epochs';
import { giveBackProbe } from './settle';
import type { Ticket } from './ticket';

export interface OrphansDeps {
  readonly store: Pick<Store, 'close' | 'orphanAfterMs'>;
  readonly epochs: Epochs;
  readonly leaseMs: number;
  readonly giveBacks: Pick<GiveBacks, 'give'>;
  /** The shard has an entry for the drainer. */
  readonly onClosed: (shard: number, seq: number) => void;
  /** A hold that this process has allowed is gone, or is another process's. */
  readonly onReleased: () => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Requests whose authorize went unanswered. Their callers got an error or have gone, and a hold may
 * have been taken. Each is cancelled once the store replies again, if there is a hold and nobody
 * repeated the request. Otherwise its lease would end it, charged in full.
 */
export interface Orphans {
  /**
   * `attempt`: the unanswered call, or KEPT_BY for a hold of this policy's float; '' when the hold is
   * known to exist.
   */
  readonly add: (requestId: string, ticket: Ticket, attempt: string) => void;
  readonly waiting: () => number;
  /** Handles what is due now, and nothing later. */
  readonly stop: () => Promise<void>;
}

interface Orphan {
  readonly requestId: string;
  readonly ticket: Ticket;
  readonly attempt: string;
  readonly addedAtMs: number;
}

const WAITING_MAX = 10_000;
const PASS_MS = 250;
/** How long after its lease the store still knows a hold's end. */
const REMEMBERED_MS = 120_000;

export function createOrphans(deps: OrphansDeps): Orphans {
  const { store, clock, log } = deps;
  // In the order in which they are due.
  const waiting = new Map<string, Orphan>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const add: Orphans['add'] = (requestId, ticket, attempt) => {
    if (stopped || waiting.size >= WAITING_MAX) {
      log.warn('an unanswered request is not followed up: its lease ends it', { requestId });
      return;
    }
    const orphan = { requestId, ticket, attempt, addedAtMs: clock.now() };
    waiting.set(nameOf(orphan), orphan);
    arm();
  };

  const arm = (): void => {
    if (stopped || timer !== undefined || waiting.size === 0) return;
    timer = setTimeout(() => {
      void pass().finally(() => {
        timer = undefined;
        arm();
      });
    }, PASS_MS);
    timer.unref();
  };

  // One at a time: when the store or the catalog is unreachable, the first one finds out for all.
  const pass = async (): Promise<void> => {
    for (const orphan of waiting.values()) {
      const ageMs = clock.now() - orphan.addedAtMs;
      if (ageMs < store.orphanAfterMs) return;
      if (ageMs > deps.leaseMs + REMEMBERED_MS) {
        waiting.delete(nameOf(orphan));
        continue;
      }
      try {
        if (await cancel(deps, orphan)) waiting.delete(nameOf(orphan));
      } catch (error) {
        if (error instanceof StoreUnavailableError || error instanceof Failure) return;
        // Not a failure that a retry would cure; the lease ends the hold.
        log.error('an unanswered request could not be cancelled', { ...idOf(orphan), error });
        waiting.delete(nameOf(orphan));
      }
    }
  };

  return {
    add,
    waiting: () => waiting.size,
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await pass();
    },
  };
}

// False: try again under the shard's new epoch.
async function cancel(
  deps: OrphansDeps,
  { requestId, ticket, attempt, addedAtMs }: Orphan,
): Promise<boolean> {
  const close = closeOf({
    mode: 'CANCELLED',
    requestId,
    ticket,
    authorisedAtMs: addedAtMs,
    leaseUntilMs: addedAtMs + deps.leaseMs,
    settle: cancelledSettle(requestId, Buffer.alloc(0)),
  });
  const epoch = deps.epochs.of(ticket.shard);
  const outcome = await deps.store.close({ ...close, orphan: true, attempt, epoch });
  if (outcome.kind === 'EPOCH') {
    await deps.epochs.follow(ticket.shard, outcome);
    return false;
  }
  const wasAllowed = attempt === '' || attempt === KEPT_BY;
  if (wasAllowed && (outcome.kind === 'CLOSED' || outcome.kind === 'KEPT')) deps.onReleased();
  if (outcome.kind === 'CLOSED') {
    deps.log.info('cancelled a hold whose caller never learned of it', {
      requestId,
      shard: ticket.shard,
    });
    giveBackProbe(deps.giveBacks, ticket, []);
    if (outcome.seq > 0) deps.onClosed(ticket.shard, outcome.seq);
  }
  if (outcome.kind === 'KEPT') {
    const shard = ticket.shard;
    deps.log.debug('no hold was taken, or a repeated request owns it', {
      requestId,
      shard,
    });
  }
  return true;
}

/** Several calls about a request may be unanswered, and each may have taken its hold. */
const nameOf = ({ requestId, attempt }: Orphan): string => `${requestId} ${attempt}`;

function idOf({ requestId, ticket }: Orphan) {
  return { requestId, shard: ticket.shard };
}

/** Names calls uniquely among all policies, across restarts. */
export function callNames(): () => string {
  const instance = randomBytes(6).toString('base64url');
  let calls = 0;
  return () => `${instance}.${String((calls += 1))}`;
}
