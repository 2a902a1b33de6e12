import type { Metrics } from '@tollgate/kit';

export interface RunnerMetrics extends Metrics {
  /** A finished request; other methods share one label. */
  readonly served: (method: string, status: number) => void;
  readonly ended: (how: 'asked' | 'failed') => void;
}

const METHODS = new Set(['POST', 'GET', 'DELETE']);

export function createRunnerMetrics(metrics: Metrics, channels: () => number): RunnerMetrics {
  const requests = metrics.counter(
    'tollgate_runner_requests_total',
    'Finished requests, by HTTP method and class of status',
    ['method', 'status'],
  );
  const ends = metrics.counter(
    'tollgate_runner_channels_ended_total',
    'Ended channels to MCP servers; failed: the server ended by itself',
    ['how'],
  );
  metrics.reading('tollgate_runner_channels', 'Open channels to MCP servers', channels);
  return {
    ...metrics,
    served: (method, status) =>
      requests.inc({
        method: METHODS.has(method) ? method : 'other',
        status: `${Math.floor(status / 100)}xx`,
      }),
    ended: (how) => ends.inc({ how }),
  };
}
