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

interface Budget {
  readonly totalBytes: number;
  readonly strangersMost: number;
  readonly ownerMost: number;
  /** Bytes of each owner. */
  readonly owners: Map<string, number>;
  used: number;
  strangers: number;
  /** First in, first out. */
  readonly waiters: Waiter[];
  /** The lease that may exceed the budget. */
  overdrawn: ByteLease | undefined;
}

export function createByteBudget({ totalBytes }: ByteBudgetOptions): ByteBudget {
  const budget: Budget = {
    totalBytes,
    strangersMost: Math.floor(totalBytes / STRANGERS_PART),
    ownerMost: Math.floor(totalBytes / OWNER_PART),
    owners: new Map(),
    used: 0,
    strangers: 0,
    waiters: [],
    overdrawn: undefined,
  };
  return { open: () => openLease(budget), used: () => budget.used };
}

function openLease(budget: Budget): ByteLease {
  let taken = 0;
  let known = false;
  let owner: string | undefined;
  let over = false;

  const take = (bytes: number): boolean => {
    if (over || budget.used + bytes > budget.totalBytes) return false;
    if (!known && budget.strangers + bytes > budget.strangersMost) return false;
    if (owner !== undefined && !ownerHasRoom(budget, owner, bytes, taken)) return false;
    add(bytes);
    return true;
  };

  const add = (bytes: number): void => {
    budget.used += bytes;
    taken += bytes;
    if (!known) budget.strangers += bytes;
    if (owner !== undefined) addTo(budget, owner, bytes);
  };

  const lease: ByteLease = {
    take,
    takeSoon: (bytes) => {
      if (over || (budget.waiters.length === 0 && take(bytes))) return Promise.resolve();
      // The end of this lease may unblock others.
      if (budget.overdrawn === lease) {
        add(bytes);
        return Promise.resolve();
      }
      return new Promise((resolve) => {
        budget.waiters.push({ lease, bytes, overdraw: () => add(bytes), resolve });
        serveWaiters(budget);
      });
    },
    confirm: (name) => {
      if (over) return;
      if (!known) budget.strangers -= taken;
      known = true;
      if (name === undefined || owner !== undefined) return;
      owner = name;
      addTo(budget, name, taken);
    },
    give: (bytes) => {
      if (over) return;
      add(-Math.min(bytes, taken));
      serveWaiters(budget);
    },
    release: () => {
      if (over) return;
      add(-taken);
      over = true;
      leave(budget, lease);
    },
  };
  return lease;
}

/** An owner's only body may be as large as the budget allows. `taken`: by this lease. */
function ownerHasRoom(
  { owners, ownerMost }: Budget,
  name: string,
  bytes: number,
  taken: number,
): boolean {
  const all = owners.get(name) ?? 0;
  return all === taken || all + bytes <= ownerMost;
}

function addTo({ owners }: Budget, name: string, bytes: number): void {
  const left = (owners.get(name) ?? 0) + bytes;
  if (left > 0) owners.set(name, left);
  else owners.delete(name);
}

/** Ends the waits of a released lease, and lets others go on. */
function leave(budget: Budget, lease: ByteLease): void {
  const { waiters } = budget;
  if (budget.overdrawn === lease) budget.overdrawn = undefined;
  const own = waiters.filter((waiter) => waiter.lease === lease);
  for (const waiter of own) {
    waiters.splice(waiters.indexOf(waiter), 1);
    waiter.resolve();
  }
  serveWaiters(budget);
}

function serveWaiters(budget: Budget): void {
  const { waiters } = budget;
  for (let [head] = waiters; head; [head] = waiters) {
    if (!head.lease.take(head.bytes)) {
      if (budget.overdrawn !== undefined && budget.overdrawn !== head.lease) return;
      budget.overdrawn = head.lease;
      head.overdraw();
    }
    waiters.shift();
    head.resolve();
  }
}
