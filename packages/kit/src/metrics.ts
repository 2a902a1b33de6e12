import cluster from 'node:cluster';
import * as prometheus from 'prom-client';

import { createExemplars, type Labels } from './exemplars';
import { OPEN_METRICS_TYPE, openMetricsText, prefersOpenMetrics } from './open-metrics';
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
  /**
   * Names the trace of an observation that a histogram of this registry has just counted. Scrapers that
   * ask for OpenMetrics see the last one of each bucket, as an exemplar.
   *
   * @param labels all labels of the histogram
   * @param value as it was observed
   */
  exemplar: (histogram: string, labels: Labels, value: number, traceId: string) => void;
  /** The text of everything registered in the format of Prometheus, summed over all workers. */
  text: () => Promise<string>;
  /** The same for a scraper, in OpenMetrics if its `Accept` header prefers that. */
  exposition: (accept: string | undefined) => Promise<Exposition>;
}

export interface Exposition {
  readonly contentType: string;
  readonly text: string;
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

  const bucketsOf = new Map<string, readonly number[]>();

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
        () => {
          bucketsOf.set(name, buckets);
          const options = { ...base(name, help, labels), buckets: [...buckets] };
          return new prometheus.Histogram<string>(options);
        },
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
    ...exposed(registry, bucketsOf),
  };
}

function exposed(
  registry: prometheus.Registry,
  bucketsOf: ReadonlyMap<string, readonly number[]>,
): Pick<Metrics, 'exemplar' | 'text' | 'exposition'> {
  const exemplars = createExemplars();
  const text = cluster.isWorker ? metricsOfAll(registry) : () => registry.metrics();
  return {
    exemplar: (histogram, labels, value, traceId) => {
      const buckets = bucketsOf.get(histogram);
      if (buckets === undefined) throw new Error(`${histogram} is no histogram of this registry`);
      exemplars.note(histogram, buckets, labels, { traceId, value, atMs: Date.now() });
    },
    text,
    exposition: async (accept) =>
      prefersOpenMetrics(accept)
        ? { contentType: OPEN_METRICS_TYPE, text: openMetricsText(await text(), exemplars) }
        : { contentType: registry.contentType, text: await text() },
  };
}
