import { TOKEN_CLASSES, type TokenUsage } from '@tollgate/contracts';
import type { Metrics } from '@tollgate/kit';

/** Metrics of what answers used. Their labels are providers and token classes, which are few. */
export interface UsageMetrics {
  /** What a finished request is charged for; estimated counts are included. */
  used: (provider: string, usage: TokenUsage, costNanoUsd: bigint) => void;
}

export function createUsageMetrics(metrics: Metrics): UsageMetrics {
  const tokens = metrics.counter(
    'tollgate_edge_tokens_total',
    'Tokens that answers of models are charged for, by class; output that no provider counted is estimated.',
    ['provider', 'class'],
  );
  const cost = metrics.counter(
    'tollgate_edge_cost_usd_total',
    'Cost of answers of models in US dollars, rounded to a float: for rates and alerts, not for invoices.',
    ['provider'],
  );
  return {
    used: (provider, usage, costNanoUsd) => {
      for (const name of TOKEN_CLASSES) {
        if (usage[name] > 0) tokens.labels(provider, name).inc(usage[name]);
      }
      if (costNanoUsd > 0n) cost.labels(provider).inc(Number(costNanoUsd) / 1e9);
    },
  };
}
