// How many bytes of bodies are in memory at once, over all requests of a process, and how many of them may
// be one key's. What does not fit is
// refused; only what is under way already may wait for room.

export type ByteBudget = {
  /** A place for what one request brings; nothing is taken yet. */
  open: () => ByteLease;
  /** Bytes that are taken right now. */
  used: () => number;
};

/**
 * The bytes of one request. They are first nobody's (the key is not known yet, so all strangers together get
 * a part of the budget), then the gateway's common ones, or, for a large body, one key's.
 */
export type ByteLease = {
  /** Takes more bytes. False: there is no room for them, and none are taken. */
  take: (bytes: number) => boolean;
  /**
   * The same, waiting for room. The one that has waited longest may pass the budget's end, alone, so that
   * bodies of which each has come in part do not wait for one another for ever. Resolves at once with the
   * lease's release.
   */
  takeSoon: (bytes: number) => Promise<void>;
  /** The key is valid: from here on the bytes count for its owner, or for nobody in particular. */
  confirm: (owner?: string) => void;
  /** Gives some of it back. */
  give: (bytes: number) => void;
  /** Gives everything back; what is taken afterwards is given back at once. */
  release: () => void;
};

export type ByteBudgetOptions = {
  /** Of all requests together. */
  totalBytes: number;
};

type Waiter = { lease: ByteLease; bytes: number; overdraw: () => void; resolve: () => void };

/** What requests may take together whose keys are not known, as a part of the whole. */
const STRANGERS_PART = 4;
/** What one owner may take for more than one request, as a part of the whole. */
const OWNER_PART = 2;

export function createByteBudget({ totalBytes }: ByteBudgetOptions): ByteBudget {
  const owners = new Map<string, number>();
  const strangersMost = Math.floor(totalBytes / STRANGERS_PART);
  const ownerMost = Math.floor(totalBytes / OWNER_PART);
  let used = 0;
  let strangers = 0;
  const waiters: Waiter[] = [];
  /** The lease that may pass the end. */
  let overdrawn: ByteLease | undefined;

  // In the order of their coming, and none before another.
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
        // Others may be waiting for this one to end.
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
