// Credentials by identity. All connections that have an identity share one credential; with the last of them its
// sockets are closed.

import type { Dispatcher } from 'undici';

import type { Agents, Lease } from '../agents';
import { changedMs } from './ambient';
import { createRenewed, type Issued, type Renewed } from './renewed';

export type OpenDispatcher = (origin: string) => Dispatcher;

export interface SharedRequest<T> {
  /** Equal for equal identities. */
  readonly key: string;
  /** Connects to what issues the credential. */
  readonly agents: Agents;
  readonly request: (openDispatcher: OpenDispatcher) => Promise<Issued<T>>;
  /** The file that the identity is read from; undefined: none. */
  readonly file: string | undefined;
}

export interface SharedCredential<T> {
  readonly renewed: Renewed<T>;
  readonly release: () => void;
}

interface Entry<T> {
  readonly renewed: Renewed<T>;
  readonly close: () => void;
  users: number;
}

const CONNECT_MS = 5_000;
/** How often a file is looked at, at most. */
const FILE_LOOK_MS = 10_000;

export function createSharedCredentials<T>(nowMs: () => number) {
  const entries = new Map<string, Entry<T>>();

  const create = ({ agents, file, key, request }: SharedRequest<T>): Entry<T> => {
    const leases = new Map<string, Lease>();
    const openDispatcher: OpenDispatcher = (origin) => {
      const lease = leases.get(origin) ?? agents.open(origin, CONNECT_MS);
      leases.set(origin, lease);
      return lease.agent;
    };
    let closed = false;
    const releaseAll = (): void => {
      for (const { release } of leases.values()) release();
      leases.clear();
    };
    const close = (): void => {
      closed = true;
      entries.delete(key);
      releaseAll();
    };
    // A request that outlives its last user opens connections once more.
    const requestAndRelease = async (): Promise<Issued<T>> => {
      try {
        return await request(openDispatcher);
      } finally {
        if (closed) releaseAll();
      }
    };
    const renewed = createRenewed<T>({ request: requestAndRelease, nowMs });
    return {
      renewed: file === undefined ? renewed : watched(renewed, file, nowMs),
      close,
      users: 0,
    };
  };

  return (request: SharedRequest<T>): SharedCredential<T> => {
    const entry = entries.get(request.key) ?? create(request);
    entries.set(request.key, entry);
    entry.users += 1;
    let released = false;
    const release = (): void => {
      if (released) return;
      released = true;
      entry.users -= 1;
      if (entry.users === 0) entry.close();
    };
    return { renewed: entry.renewed, release };
  };
}

/** Looks now and then whether the file has changed, without making anyone wait. */
function watched<T>(renewed: Renewed<T>, file: string, nowMs: () => number): Renewed<T> {
  let lookAtMs = Number.NEGATIVE_INFINITY;
  let seenMs: number | undefined;
  const look = async (): Promise<void> => {
    const changed = await changedMs(file);
    if (seenMs !== undefined && changed !== undefined && changed !== seenMs) renewed.outdated();
    seenMs = changed ?? seenMs;
  };
  return {
    ...renewed,
    get: () => {
      if (nowMs() >= lookAtMs) {
        lookAtMs = nowMs() + FILE_LOOK_MS;
        void look();
      }
      return renewed.get();
    },
  };
}
