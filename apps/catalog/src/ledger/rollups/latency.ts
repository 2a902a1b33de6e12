/**
 * Latency histograms that can be added: 32 buckets whose limits never change. The first holds up to
 * 16 ms, each further limit is √2 times the one before, and the last bucket holds everything above
 * 524 s. So a percentile is exact to within a factor of √2.
 */
export const LATENCY_BUCKETS = 32;
const FIRST_MS = 16;

/** The upper limit of a bucket in milliseconds; infinity for the last one. */
export function bucketEndMs(bucket: number): number {
  return bucket >= LATENCY_BUCKETS - 1 ? Infinity : FIRST_MS * 2 ** (bucket / 2);
}

/** The limits as whole milliseconds for SQL; a value equal to a limit belongs to its bucket. */
export const BUCKET_LIMITS_MS: readonly number[] = Array.from(
  { length: LATENCY_BUCKETS - 1 },
  (_, bucket) => Math.floor(bucketEndMs(bucket)),
);

/** The bucket of a latency in whole milliseconds. */
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
 * The percentile (0.95) in whole milliseconds; null without measurements. Within a bucket values
 * are assumed to be evenly distributed on a logarithmic scale.
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
    // The last bucket has no upper limit, so its lower limit is returned.
    if (bucket === LATENCY_BUCKETS - 1) return Math.round(bucketEndMs(bucket - 1));
    return Math.round(bucketEndMs(bucket - 1) * 2 ** (part / 2));
  }
  return null;
}
