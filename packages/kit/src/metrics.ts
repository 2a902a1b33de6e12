import cluster from 'node:cluster';
import * as prometheus from 'prom-client';

import { metricsOfAll } from './worker-metrics';

export type Across = 'sum' | 'max' | 'min';

/** The value of one series. */
export interface Reading {
  labels: Record<string, string>;
  value: number;
}

export interface Metrics {
  registry: prometheus.Registry;
  counter: (name: string, help: string, labels?: readonly string[]) => prometheus.Counter;
  histogram: (
    name: string,
    help: string,
    labels?: readonly string[],
    buckets?: readonly number[],
  ) => prometheus.Histogram;
  /** `across` says what the workers of one service come to: their sum, the largest or the smallest. */
  gauge: (
    name: string,
    help: string,
    labels?: readonly string[],
    across?: Across,
  ) => prometheus.Gauge;
  /** A gauge without labels whose value is read on every scrape. */
  reading: (name: string, help: string, read: () => number) => void;
  /**
   * A counter or gauge whose series are kept elsewhere and read on every scrape. A counter's values
   * must never fall.
   */
  countedReadings: (
    name: string,
    help: string,
    labels: readonly string[],
    read: () => Iterable<Reading>,
  ) => void;
  gaugeReadings: (
    name: string,
    help: string,
    labels: readonly string[],
    across: Across,
    read: () => Iterable<Reading>,
  ) => void;
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
    gauge: (name, help, labels = [], across = 'sum') =>
      known(
        name,
        () => new prometheus.Gauge<string>({ ...base(name, help, labels), aggregator: across }),
        (metric) => metric instanceof prometheus.Gauge,
      ),
    reading: (name, help, read) => {
      const gauge: prometheus.Gauge = new prometheus.Gauge({
        ...base(name, help, []),
        collect: () => gauge.set(read()),
      });
    },
    countedReadings: (name, help, labels, read) => {
      const counter: prometheus.Counter = new prometheus.Counter({
        ...base(name, help, labels),
        collect: () => {
          counter.reset();
          for (const { labels: series, value } of read()) counter.inc(series, value);
        },
      });
    },
    gaugeReadings: (name, help, labels, across, read) => {
      const gauge: prometheus.Gauge = new prometheus.Gauge({
        ...base(name, help, labels),
        aggregator: across,
        collect: () => {
          gauge.reset();
          for (const { labels: series, value } of read()) gauge.set(series, value);
        },
      });
    },
    text: cluster.isWorker ? metricsOfAll(registry) : () => registry.metrics(),
    contentType: registry.contentType,
  };
}
