import cluster from 'node:cluster';
import * as prometheus from 'prom-client';

import { metricsOfAll } from './worker-metrics';

export interface Metrics {
  registry: prometheus.Registry;
  counter: (name: string, help: string, labels?: readonly string[]) => prometheus.Counter;
  histogram: (
    name: string,
    help: string,
    labels?: readonly string[],
    buckets?: readonly number[],
  ) => prometheus.Histogram;
  gauge: (name: string, help: string, labels?: readonly string[]) => prometheus.Gauge;
  /** A gauge without labels whose value is read on every scrape. */
  reading: (name: string, help: string, read: () => number) => void;
  /** The exposition text of everything registered, summed over all workers. */
  text: () => Promise<string>;
  contentType: string;
}

// Seconds, from half a millisecond (a decision) to two minutes (a long answer).
const SECONDS_BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120,
];

// A separate Prometheus registry with the process's metrics; every sample has a `service` label.
// Registering a name twice returns the same metric.
export function createMetrics(options: { service: string }): Metrics {
  const registry = new prometheus.Registry();
  registry.setDefaultLabels({ service: options.service });
  prometheus.collectDefaultMetrics({ register: registry });

  const known = <M>(name: string, create: () => M, isKind: (metric: unknown) => metric is M): M => {
    const metric: unknown = registry.getSingleMetric(name);
    if (metric === undefined) return create();
    if (!isKind(metric)) throw new Error(`metric ${name} is already registered as another kind`);
    return metric;
  };
  const base = (name: string, help: string, labels: readonly string[]) => ({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
  });

  return {
    registry,
    counter: (name, help, labels = []) =>
      known(
        name,
        () => new prometheus.Counter<string>(base(name, help, labels)),
        (metric) => metric instanceof prometheus.Counter,
      ),
    histogram: (name, help, labels = [], buckets = SECONDS_BUCKETS) =>
      known(
        name,
        () =>
          new prometheus.Histogram<string>({ ...base(name, help, labels), buckets: [...buckets] }),
        (metric) => metric instanceof prometheus.Histogram,
      ),
    gauge: (name, help, labels = []) =>
      known(
        name,
        () => new prometheus.Gauge<string>(base(name, help, labels)),
        (metric) => metric instanceof prometheus.Gauge,
      ),
    reading: (name, help, read) => {
      const gauge: prometheus.Gauge = new prometheus.Gauge({
        ...base(name, help, []),
        collect: () => gauge.set(read()),
      });
    },
    text: cluster.isWorker ? metricsOfAll(registry) : () => registry.metrics(),
    contentType: registry.contentType,
  };
}
