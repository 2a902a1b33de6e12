import fc from 'fast-check';

import { bucketEndMs, bucketOf, LATENCY_BUCKETS, percentileMs } from './latency';

test('every number of milliseconds lies in its bucket, and only there', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2_000_000 }), (ms) => {
      const bucket = bucketOf(ms);
      expect(ms).toBeLessThanOrEqual(bucketEndMs(bucket));
      if (bucket > 0) expect(ms).toBeGreaterThan(bucketEndMs(bucket - 1));
    }),
  );
});

test('a percentile is the exact one to within a factor of √2, or 16 ms', () => {
  const sample = fc.array(fc.integer({ min: 0, max: 500_000 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(sample, fc.constantFrom(0.5, 0.95, 0.99), (values, share) => {
      const counts = Array.from({ length: LATENCY_BUCKETS }, () => 0);
      for (const ms of values) counts[bucketOf(ms)] = (counts[bucketOf(ms)] ?? 0) + 1;
      const sorted = values.toSorted((a, b) => a - b);
      const exact = sorted[Math.max(1, Math.ceil(share * values.length)) - 1] ?? 0;
      const estimate = percentileMs(counts, share) ?? Number.NaN;
      if (exact <= 16) expect(estimate).toBeLessThanOrEqual(16);
      else {
        expect(estimate / exact).toBeLessThanOrEqual(Math.SQRT2 * 1.05);
        expect(exact / estimate).toBeLessThanOrEqual(Math.SQRT2 * 1.05);
      }
    }),
  );
});

test('nothing measured has no percentile', () => {
  expect(percentileMs([], 0.5)).toBeNull();
});
