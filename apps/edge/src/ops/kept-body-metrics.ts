import type { Metrics } from '@tollgate/kit';

export interface KeptBodyMetrics {
  bodyKept: (outcome: string, count?: number) => void;
}

export function createKeptBodyMetrics(metrics: Metrics): KeptBodyMetrics {
  const bodies = metrics.counter(
    'tollgate_edge_kept_bodies_total',
    'Requests and answers of organisations that keep bodies: kept, why one was left out (such as too_large, queue_full or day_full), unwanted (the organisation has stopped keeping them or deleted all since), or lost without a note.',
    ['outcome'],
  );
  return { bodyKept: (outcome, count = 1) => bodies.inc({ outcome }, count) };
}
