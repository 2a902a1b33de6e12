import type { Metrics } from '@tollgate/kit';
import type { Verdict } from '@tollgate/screening';

/** Metrics of screening rules. Their values are few, so that no organisation fills the registry. */
export interface ScreeningMetrics {
  /** What the rules found in a request and its answer. */
  screened: (verdicts: readonly Verdict[]) => void;
  /** How long the texts of a request were screened before it went on. */
  screening: (ms: number) => void;
  /** A check by a service, with a verdict or without. */
  screeningCheck: (outcome: 'verdict' | 'failed', ms: number) => void;
}

/** In seconds: from a short prompt to one with patterns. */
const SCREENING_BUCKETS = [
  0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5,
];

export function createScreeningMetrics(metrics: Metrics): ScreeningMetrics {
  const verdicts = metrics.counter(
    'tollgate_screening_verdicts_total',
    'Requests in which a screening rule found something, by the rule’s action and place; the kind says what it looks for.',
    ['action', 'place', 'kind'],
  );
  const errors = metrics.counter(
    'tollgate_screening_errors_total',
    'Requests that a screening rule could not decide, by what happens then: BLOCK or PASS.',
    ['place', 'on_error'],
  );
  const seconds = metrics.histogram(
    'tollgate_screening_seconds',
    'How long the texts of a request were screened before it went on, with the checks that it waited for.',
    [],
    SCREENING_BUCKETS,
  );
  const checks = metrics.histogram(
    'tollgate_screening_check_seconds',
    'One check by a screening service.',
    ['outcome'],
  );
  return {
    screened: (all) => {
      for (const { failures, hits, named, place } of all) {
        const { action, kind, onError } = named.rule;
        if (hits > 0) verdicts.labels(action, place, kind).inc();
        if (failures > 0) errors.labels(place, onError).inc();
      }
    },
    screening: (ms) => seconds.observe(ms / 1_000),
    screeningCheck: (outcome, ms) => checks.labels(outcome).observe(ms / 1_000),
  };
}
