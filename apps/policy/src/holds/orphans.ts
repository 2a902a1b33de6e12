import { randomBytes } from 'node:crypto';

import type { Clock, Logger } from '@tollgate/kit';

import { Failure } from '../failure';
import type { GiveBacks } from '../routing';
import { type Store, StoreUnavailableError } from '../store';
import { cancelledSettle, closeOf } from './closing';
import type { Epochs } from './epochs';
import { giveBackProbe } from './settle';
import type { Ticket } from './ticket';

export interface OrphansDeps {
  readonly store: Pick<Store, 'close' | 'orphanAfterMs'>;
  readonly epochs: Epochs;
  readonly leaseMs: number;
  readonly giveBacks: Pick<GiveBacks, 'give'>;
  /** The shard has something for the ledger's drainer. */
  readonly onClosed: (shard: number, seq: number) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Requests whose authorize went unanswered: their callers were told that the service is broken, or
 * have gone, and whether a hold was taken may not be known. Each is cancelled once the store answers
 * again, where there is a hold and nobody has asked for the request again; else its lease would end
 * it, charged in full.
 */
export interface Orphans {
  /** `attempt`: the call that went unanswered; '' when the hold is known to have been taken. */
  readonly add: (requestId: string, ticket: Ticket, attempt: string) => void;
  readonly waiting: () => number;
  /** Looks after what is due at once, and no more from here on. */
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
/** How long past its lease a hold's end is still known to the store. */
const REMEMBERED_MS = 120_000;

export function createOrphans(deps: OrphansDeps): Orphans {
  const { store, epochs, clock, log } = deps;
  // In the order in which they fall due.
  const waiting = new Map<string, Orphan>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const add: Orphans['add'] = (requestId, ticket, attempt) => {
    if (stopped || waiting.size >= WAITING_MAX) {
      log.warn('an unanswered request is left to its lease', { requestId });
      return;
    }
    waiting.set(requestId, { requestId, ticket, attempt, addedAtMs: clock.now() });
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

  // One by one: while the store, or the catalog for it, is away the first one finds out for all.
  const pass = async (): Promise<void> => {
    for (const orphan of waiting.values()) {
      const ageMs = clock.now() - orphan.addedAtMs;
      if (ageMs < store.orphanAfterMs) return;
      if (ageMs > deps.leaseMs + REMEMBERED_MS) {
        waiting.delete(orphan.requestId);
        continue;
      }
      try {
        if (await cancel(orphan)) waiting.delete(orphan.requestId);
      } catch (error) {
        if (error instanceof StoreUnavailableError || error instanceof Failure) return;
        // Whatever it is, asking again does not cure it; the lease ends the hold.
        log.error('an unanswered request could not be cancelled', { ...idOf(orphan), error });
        waiting.delete(orphan.requestId);
      }
    }
  };

  // False: to be tried again, under the shard's new generation.
  const cancel = async ({ requestId, ticket, attempt, addedAtMs }: Orphan): Promise<boolean> => {
    const close = closeOf({
      mode: 'CANCELLED',
      requestId,
      ticket,
      authorisedAtMs: addedAtMs,
      leaseUntilMs: addedAtMs + deps.leaseMs,
      settle: cancelledSettle(requestId, Buffer.alloc(0)),
    });
    const epoch = epochs.of(ticket.shard);
    const outcome = await store.close({ ...close, orphan: true, attempt, epoch });
    if (outcome.kind === 'EPOCH') {
      await epochs.follow(ticket.shard, outcome);
      return false;
    }
    if (outcome.kind === 'CLOSED') {
      log.info('cancelled a hold that nobody had heard of', { requestId, shard: ticket.shard });
      giveBackProbe(deps.giveBacks, ticket, []);
      if (outcome.seq > 0) deps.onClosed(ticket.shard, outcome.seq);
    }
    if (outcome.kind === 'KEPT') {
      const shard = ticket.shard;
      log.debug('no hold was taken, or it is left to whoever asked for it again', {
        requestId,
        shard,
      });
    }
    return true;
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

function idOf({ requestId, ticket }: Orphan) {
  return { requestId, shard: ticket.shard };
}

/** Names calls so that each is told from those of all policies, however often they are started. */
export function callNames(): () => string {
  const instance = randomBytes(6).toString('base64url');
  let calls = 0;
  return () => `${instance}.${String((calls += 1))}`;
}
