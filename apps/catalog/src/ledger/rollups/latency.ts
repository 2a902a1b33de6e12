/**
 * Latency histograms that can be added up: 32 buckets, the same everywhere and for ever. The first
 * holds what took up to 16 ms, each further one reaches √2 times as far as the one before, the last
 * takes everything beyond 524 s. A percentile is therefore known to within a factor of √2.
 */
export const LATENCY_BUCKETS = 32;
const FIRST_MS = 16;

/** The upper end of a bucket, in milliseconds; of the last one, infinity. */
export function bucketEndMs(bucket: number): number {
  return bucket >= LATENCY_BUCKETS - 1 ? Infinity : FIRST_MS * 2 ** (bucket / 2);
}

/** The same as SQL writes it, in whole milliseconds: what a bucket holds is at most this. */
export const BUCKET_LIMITS_MS: readonly number[] = Array.from(
  { length: LATENCY_BUCKETS - 1 },
  (_, bucket) => Math.floor(bucketEndMs(bucket)),
);

/** The bucket of a whole number of milliseconds. */
export function bucketOf(ms: number): number {
  let low = 0;
  let high = LATENCY_BUCKETS - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ms <= (BUCKET_LIMITS_MS[middle] ?? Infinity)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The value that a share (0.95) of the measured ones does not pass, in whole milliseconds; null where
 * nothing was measured. Inside a bucket values are taken to lie evenly on a logarithmic scale.
 */
export function percentileMs(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const rank = Math.max(1, Math.ceil(share * total));
  let below = 0;
  for (const [bucket, count] of counts.entries()) {
    if (below + count < rank) {
      below += count;
      continue;
    }
    const part = (rank - below) / count;
    if (bucket === 0) return Math.round(FIRST_MS * part);
    // Nothing says how far the last bucket reaches: its lower end is what is known.
    if (bucket === LATENCY_BUCKETS - 1) return Math.round(bucketEndMs(bucket - 1));
    return Math.round(bucketEndMs(bucket - 1) * 2 ** (part / 2));
  }
  return null;
}
