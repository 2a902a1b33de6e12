import { isValueCounter } from '@tollgate/contracts';
import type { Clock } from '@tollgate/kit';

import type { KeyPlan } from '../directory';
import type { Floats } from '../floats';
import { UnansweredError, type AuthorizeOutcome, type Store } from '../store';
import type { Attempt, EncodedTicket } from './allow';
import { authorizeCounters } from './counters';
import type { Epochs } from './epochs';
import type { Orphans } from './orphans';
import type { StoreTime } from './store-time';

// One question for a hold: answered from memory where that is allowed, else by the store.

/** Who is told of the decision, and can be asked to adopt the hold. */
export interface Caller {
  readonly session: string;
  /** Whether it can still be told. */
  readonly isOpen: () => boolean;
}

export interface AskDeps {
  readonly store: Pick<Store, 'authorize'>;
  readonly epochs: Pick<Epochs, 'of'>;
  readonly orphans: Pick<Orphans, 'add'>;
  /** Absent: this process decides nothing from memory. */
  readonly floats?: Pick<Floats, 'authorize' | 'redisMs'> | undefined;
  /** A request that could not be decided from memory, because of its caller. */
  readonly onExact?: ((reason: 'caller' | 'value') => void) | undefined;
  readonly leaseMs: number;
  readonly wait: (ms: number) => Promise<void>;
  readonly clock: Clock;
}

/** `floatId`: decided from memory. */
export type Decided = AuthorizeOutcome & { readonly floatId?: string };

export interface Question {
  /** undefined: the store decides. */
  readonly caller: Caller | undefined;
  readonly deadlineAtMs: number;
  /** Of the whole request: how long it may wait for what floats give back. */
  patienceMs: number;
}

/** How long a request waits for what floats give back: two posts of another policy, with some room. */
export const PATIENCE_MS = 150;
export const AGAIN_MS = 20;

/** Decides from memory. `undefined`: the store decides. `again`: it was asked before for this request. */
export function askMemory(
  { floats, leaseMs, onExact }: AskDeps,
  { request, plan, limits }: Attempt,
  { text }: EncodedTicket,
  { caller }: Question,
  again = false,
): Decided | undefined {
  if (floats === undefined) return undefined;
  if (caller?.isOpen() !== true) {
    if (!again) onExact?.('caller');
    return undefined;
  }
  // Each value has counters of its own, and most are used by one caller: floats of them would only take up memory.
  if (limits.some(({ limitId }) => isValueCounter(limitId))) {
    if (!again) onExact?.('value');
    return undefined;
  }
  const decision = floats.authorize(plan.shard, {
    requestId: request.requestId,
    session: caller.session,
    resent: request.resent,
    again,
    leaseMs,
    ticketText: text,
    counters: authorizeCounters(limits),
  });
  return decision?.kind === 'ALLOW' ? { ...decision, softExceeded: [] } : decision;
}

/**
 * Asks the store; again while floats that have free parts of a refused limit give them back. Such a
 * part may be this process's own: it may have been lent after the memory was asked.
 */
export async function askStore(
  asker: AskDeps & { readonly nameCall: () => string },
  attempt: Attempt,
  encoded: EncodedTicket,
  question: Question,
): Promise<Decided> {
  for (;;) {
    const outcome = await askOnce(asker, attempt, encoded);
    if (outcome.kind !== 'DENY' || outcome.lent !== true) return outcome;
    const remembered = askMemory(asker, attempt, encoded, question, true);
    if (remembered !== undefined) return remembered;
    const late = asker.clock.now() + AGAIN_MS > question.deadlineAtMs;
    if (late || question.patienceMs < AGAIN_MS) return outcome;
    question.patienceMs -= AGAIN_MS;
    await asker.wait(AGAIN_MS);
  }
}

// An unanswered call may have taken a hold that nobody will settle.
async function askOnce(
  asker: AskDeps & { readonly nameCall: () => string },
  { request, plan, limits }: Attempt,
  { ticket, text }: EncodedTicket,
): Promise<AuthorizeOutcome> {
  const attempt = asker.nameCall();
  try {
    return await asker.store.authorize({
      shard: plan.shard,
      epoch: asker.epochs.of(plan.shard),
      requestId: request.requestId,
      ticketText: text,
      attempt,
      leaseMs: asker.leaseMs,
      counters: authorizeCounters(limits),
    });
  } catch (error) {
    if (error instanceof UnansweredError) asker.orphans.add(request.requestId, ticket, attempt);
    throw error;
  }
}

/** The memory knows the shard's own server, and a time that is never ahead of it. */
export function timeOf(
  { floats, time }: Pick<AskDeps, 'floats'> & { readonly time: StoreTime },
  { shard }: KeyPlan,
  first: boolean,
): number {
  return (first ? floats?.redisMs(shard) : undefined) ?? time.now();
}
