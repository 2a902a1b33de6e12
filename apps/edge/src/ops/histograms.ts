// Histograms whose label values are looked up once. Times are passed in milliseconds and exported in
// seconds.

import type { Metrics } from '@tollgate/kit';

type Histogram = ReturnType<Metrics['histogram']>;

/** Limit of cached label values; others are looked up in the registry. */
const LABELLED_MOST = 1_024;

type Labelled = ReturnType<Histogram['labels']>;

/** Observes milliseconds under one label value. */
export function timesByOne(histogram: Histogram): (value: string, ms: number) => void {
  const known = new Map<string, Labelled>();
  return (value, ms) => {
    let labelled = known.get(value);
    if (!labelled) {
      labelled = histogram.labels(value);
      if (known.size < LABELLED_MOST) known.set(value, labelled);
    }
    labelled.observe(ms / 1_000);
  };
}

/** Observes milliseconds under two label values, in the order of their declaration. */
export function timesByTwo(
  histogram: Histogram,
): (first: string, second: string | number, ms: number) => void {
  const known = new Map<string, Map<string | number, Labelled>>();
  let size = 0;
  return (first, second, ms) => {
    let labelled = known.get(first)?.get(second);
    if (!labelled) {
      labelled = histogram.labels(first, String(second));
      if (size < LABELLED_MOST) {
        size += 1;
        known.set(first, (known.get(first) ?? new Map()).set(second, labelled));
      }
    }
    labelled.observe(ms / 1_000);
  };
}
