import type { Metrics } from '@tollgate/kit';

import { timesByTwo } from './histograms';

/** Metrics of requests that go to a provider as they are. */
export interface PassthroughMetrics {
  /** `type`: of the provider. */
  passthroughRequest: (type: string, outcome: string, ms: number) => void;
  passthroughBytes: (direction: 'request' | 'response', bytes: number) => void;
}

export function createPassthroughMetrics(metrics: Metrics): PassthroughMetrics {
  const requests = metrics.histogram(
    'tollgate_edge_passthrough_request_seconds',
    'From the arrival of a passthrough request that a rule allows to the end of its answer, by the type of its provider.',
    ['provider', 'outcome'],
  );
  const bytes = metrics.counter(
    'tollgate_edge_passthrough_bytes_total',
    'Bytes of bodies of passthrough requests, as they are paid for.',
    ['direction'],
  );
  return {
    passthroughRequest: timesByTwo(requests),
    passthroughBytes: (direction, count) => bytes.labels(direction).inc(count),
  };
}
