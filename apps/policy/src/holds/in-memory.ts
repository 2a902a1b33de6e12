import { DeadlineError, withDeadline, type Clock } from '@tollgate/kit';

import { Failure } from '../failure';
import type { EndContent, Ended, MemoryHold } from '../floats';
import type { CloseItem } from '../store';
import { abandonedSettle, closeOf } from './closing';
import { decodeTicket } from './ticket';

// Ends of holds that this process has in memory only.

/** What the memory needs of a close. */
export function endContent(item: Omit<CloseItem, 'epoch'>): EndContent {
  const { mode, counters, usage, dimensions, payload } = item;
  return { mode, counters, usage, dimensions, payload };
}

/** The end of a hold in memory whose lease is over: its outcome is unknown. */
export function abandonedEnd({
  requestId,
  ticketText,
  authorisedAtMs,
  leaseUntilMs,
}: Pick<MemoryHold, 'requestId' | 'ticketText' | 'authorisedAtMs' | 'leaseUntilMs'>): EndContent {
  const ticket = decodeTicket(ticketText);
  const settle = abandonedSettle(requestId, ticket);
  const closing = { requestId, ticket, authorisedAtMs, leaseUntilMs, settle };
  return endContent(closeOf({ mode: 'ABANDONED', ...closing }));
}

/** The post that reports an end may wait for Redis for longer than a caller does. */
export async function reported(
  ended: Promise<Ended>,
  deadlineAtMs: number,
  clock: Clock,
): Promise<Ended> {
  const leftMs = Math.max(1, deadlineAtMs - clock.now());
  try {
    return await withDeadline(ended, leftMs, 'the post of a float');
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error;
    const message = 'the hold could not be reported in time';
    throw new Failure('DEADLINE_EXCEEDED', message, 'redis', { cause: error });
  }
}
