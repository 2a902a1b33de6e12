// Limits the bytes of bodies in memory, over all requests of a process and per key. A request that
// does not fit is refused; only one that is already being received may wait.

export interface ByteBudget {
  /** Opens a lease for one request; it starts with no bytes. */
  open: () => ByteLease;
  /** Bytes taken now. */
  used: () => number;
}

/**
 * The bytes of one request. They first count as strangers' bytes, because the key is unknown, and
 * all strangers share a part of the budget. Then they count for the gateway in common or, if the
 * body is large, for one key.
 */
export interface ByteLease {
  /** Takes more bytes. False: there is no room, and none are taken. */
  take: (bytes: number) => boolean;
  /**
   * Takes more bytes, waiting for room. The longest waiter may exceed the budget, alone, so that
   * half-received bodies do not wait for each other forever. Resolves at once when the lease is
   * released.
   */
  takeSoon: (bytes: number) => Promise<void>;
  /** The key is valid: from now on the bytes count for its owner, or for nobody in particular. */
  confirm: (owner?: string) => void;
  /** Returns some of the bytes. */
  give: (bytes: number) => void;
  /** Returns all bytes; bytes taken afterwards are returned at once. */
  release: () => void;
}

export interface ByteBudgetOptions {
  /** Limit of all requests together. */
  totalBytes: number;
}

interface Waiter {
  lease: ByteLease;
  bytes: number;
  overdraw: () => void;
  resolve: () => void;
}

/** Requests with unknown keys may together take this part (one over) of the budget. */
const STRANGERS_PART = 4;
/** One owner may take this part (one over) of the budget for more than one request. */
const OWNER_PART = 2;

export function createByteBudget({ totalBytes }: ByteBudgetOptions): ByteBudget {
  const owners = new Map<string, number>();
  const strangersMost = Math.floor(totalBytes / STRANGERS_PART);
  const ownerMost = Math.floor(totalBytes / OWNER_PART);
  let used = 0;
  let strangers = 0;
  const waiters: Waiter[] = [];
  /** The lease that may exceed the budget. */
  let overdrawn: ByteLease | undefined;

  // First in, first out.
  const serveWaiters = (): void => {
    for (let [head] = waiters; head; [head] = waiters) {
      if (!head.lease.take(head.bytes)) {
        if (overdrawn !== undefined && overdrawn !== head.lease) return;
        overdrawn = head.lease;
        head.overdraw();
      }
      waiters.shift();
      head.resolve();
    }
  };

  const open = (): ByteLease => {
    let taken = 0;
    let known = false;
    let owner: string | undefined;
    let over = false;

    // An owner's only body may be as large as the budget allows.
    const ownerHasRoom = (name: string, bytes: number): boolean => {
      const all = owners.get(name) ?? 0;
      return all === taken || all + bytes <= ownerMost;
    };

    const take = (bytes: number): boolean => {
      if (over || used + bytes > totalBytes) return false;
      if (!known && strangers + bytes > strangersMost) return false;
      if (owner !== undefined && !ownerHasRoom(owner, bytes)) return false;
      add(bytes);
      return true;
    };

    const add = (bytes: number): void => {
      used += bytes;
      taken += bytes;
      if (!known) strangers += bytes;
      if (owner !== undefined) addTo(owner, bytes);
    };

    const addTo = (name: string, bytes: number): void => {
      const left = (owners.get(name) ?? 0) + bytes;
      if (left > 0) owners.set(name, left);
      else owners.delete(name);
    };

    const lease: ByteLease = {
      take,
      takeSoon: (bytes) => {
        if (over || (waiters.length === 0 && take(bytes))) return Promise.resolve();
        // The end of this lease may unblock others.
        if (overdrawn === lease) {
          add(bytes);
          return Promise.resolve();
        }
        return new Promise((resolve) => {
          waiters.push({ lease, bytes, overdraw: () => add(bytes), resolve });
          serveWaiters();
        });
      },
      confirm: (name) => {
        if (over) return;
        if (!known) strangers -= taken;
        known = true;
        if (name === undefined || owner !== undefined) return;
        owner = name;
        addTo(name, taken);
      },
      give: (bytes) => {
        if (over) return;
        add(-Math.min(bytes, taken));
        serveWaiters();
      },
      release: () => {
        if (over) return;
        add(-taken);
        over = true;
        if (overdrawn === lease) overdrawn = undefined;
        const own = waiters.filter((waiter) => waiter.lease === lease);
        for (const waiter of own) {
          waiters.splice(waiters.indexOf(waiter), 1);
          waiter.resolve();
        }
        serveWaiters();
      },
    };
    return lease;
  };

  return { open, used: () => used };
}
