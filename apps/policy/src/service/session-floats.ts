import type { AuthorizeReply, SessionResult } from '@tollgate/contracts/node';

import type { Caller } from '../holds';
import type { Items } from './items';

/** What sessions have to do with decisions from memory. */
export interface SessionFloatDeps {
  /** Floats whose running holds edges must adopt. */
  readonly onAdopt: (listener: (floatId: string) => void) => () => void;
  readonly sessionEnded: (session: string) => void;
}

export interface SessionFloats extends Caller {
  /** A decision from memory whose answer waits to be written. */
  readonly decided: (requestId: string, reply: AuthorizeReply) => void;
  /** A frame with these answers has been written. */
  readonly wrote: (results: readonly Pick<SessionResult, 'authorize'>[]) => void;
  readonly end: () => void;
}

let sessions = 0;

/**
 * For a caller that adopts holds of floats. What it was told lives on as ordinary holds when the
 * session ends; what it was not told leaves the memory.
 */
export function createSessionFloats(
  { onAdopt, sessionEnded }: SessionFloatDeps,
  items: Pick<Items, 'orphan'>,
  adopt: (floatId: string) => void,
): SessionFloats {
  const session = String((sessions += 1));
  const untold = new Map<AuthorizeReply, string>();
  let isOpen = true;
  const unsubscribe = onAdopt(adopt);
  return {
    session,
    isOpen: () => isOpen,
    decided: (requestId, reply) => untold.set(reply, requestId),
    wrote: (results) => {
      if (untold.size === 0) return;
      for (const { authorize } of results) if (authorize) untold.delete(authorize);
    },
    end: () => {
      if (!isOpen) return;
      isOpen = false;
      unsubscribe();
      for (const [reply, requestId] of untold) items.orphan(requestId, reply);
      untold.clear();
      sessionEnded(session);
    },
  };
}
