// The trace of a recent observation in each bucket of a histogram.

export interface Exemplar {
  readonly traceId: string;
  readonly value: number;
  readonly atMs: number;
}

export type Labels = Readonly<Record<string, string | number>>;

export interface Exemplars {
  /** `buckets`: the upper bounds of the histogram, ascending. */
  readonly note: (
    histogram: string,
    buckets: readonly number[],
    labels: Labels,
    found: Exemplar,
  ) => void;
  /** `le` is the bound of the bucket, as its sample has it. */
  readonly of: (histogram: string, le: string, labels: Labels) => Exemplar | undefined;
}

/** Buckets that have one; further ones get none, so that label values cannot fill the memory. */
const KEPT_MOST = 10_000;

export function createExemplars(most = KEPT_MOST): Exemplars {
  const kept = new Map<string, Exemplar>();
  return {
    note(histogram, buckets, labels, found) {
      const bound = buckets.find((upper) => found.value <= upper);
      const key = keyOf(histogram, bound === undefined ? '+Inf' : String(bound), labels);
      if (kept.size < most || kept.has(key)) kept.set(key, found);
    },
    of: (histogram, le, labels) => kept.get(keyOf(histogram, le, labels)),
  };
}

function keyOf(histogram: string, le: string, labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}=${JSON.stringify(String(value))}`,
  );
  return [histogram, le, ...pairs.toSorted()].join('\n');
}
