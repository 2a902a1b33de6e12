// The requests that wait for a response here. In the legacy era a client gives one up by a notification, in
// another HTTP request, and its server then never answers: the hold must not wait for that.

import type { RequestId } from '../message/read-message';

/** Whose request it is. Ids are unique within a session only. */
export interface RequestOwner {
  principal: Buffer;
  /** Identifier of the server. */
  server: string;
  /** The session id of the server; empty: none. */
  sessionId: string;
}

export interface RunningRequests {
  /** `giveUp` is called at most once. Returns what removes the request. */
  add: (owner: RequestOwner, id: RequestId, giveUp: () => void) => () => void;
  /** Of requests with the same id, which no correct client sends, the latest is given up. */
  giveUp: (owner: RequestOwner, id: unknown) => void;
}

export function createRunningRequests(): RunningRequests {
  const running = new Map<string, () => void>();
  return {
    add: (owner, id, giveUp) => {
      const key = keyOf(owner, id);
      running.set(key, giveUp);
      return () => {
        if (running.get(key) === giveUp) running.delete(key);
      };
    },
    giveUp: (owner, id) => {
      const key = keyOf(owner, id);
      const giveUp = running.get(key);
      running.delete(key);
      giveUp?.();
    },
  };
}

/** An id is a number or a text, which JSON tells apart. */
function keyOf({ principal, server, sessionId }: RequestOwner, id: unknown): string {
  return JSON.stringify([principal.toString('latin1'), server, sessionId, id]);
}
