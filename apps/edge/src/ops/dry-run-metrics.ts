import type { Metrics } from '@tollgate/kit';

export interface DryRunMetrics {
  /** The outcome is allow, a code, or failed. */
  dryRun: (outcome: string) => void;
}

export function createDryRunMetrics(metrics: Metrics): DryRunMetrics {
  const dryRuns = metrics.counter(
    'tollgate_edge_dry_runs_total',
    'Requests that asked what would be decided; the outcome is allow, the code of the refusal or error, or failed. No other metric of requests counts them.',
    ['outcome'],
  );
  return { dryRun: (outcome) => dryRuns.inc({ outcome }) };
}
