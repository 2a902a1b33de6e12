// The largest numbers in plain fields of a usage record.

/** The longest that an answer of the response cache may be used: seven days. */
export const MOST_CACHE_TTL_SECONDS = 604_800;

/** The most bytes of a body in a record. */
export const MOST_BYTES = 2 ** 31 - 1;

/** The longest time that policy accepts: seven days. */
export const MOST_MS = 7 * 86_400_000;

/** The longest that bodies of requests are kept. */
export const MOST_KEPT_BODIES_DAYS = 90;
