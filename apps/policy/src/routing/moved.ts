/** Moved conversations that are remembered of one key and policy, of about 100 bytes each. */
export const MOVED_MAX = 10_000;
