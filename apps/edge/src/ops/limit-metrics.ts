import { isOneOf, VALUE_SCOPES } from '@tollgate/contracts';
import type { LimitState__Output } from '@tollgate/contracts/node';
import type { Metrics, Reading } from '@tollgate/kit';

/** Gauges of limits that are nearly spent, as decisions report them. */
export interface LimitMetrics {
  limitsSeen: (limits: readonly LimitState__Output[]) => void;
}

export interface LimitMetricsOptions {
  /** The most limits that are reported; 0: none. */
  top: number;
  /** The used part from which a limit is reported, in percent. */
  fromPercent: number;
  /** Milliseconds since the epoch. */
  wallMs: () => number;
}

interface Spent {
  labels: Record<'kind' | 'limit' | 'scope' | 'scope_id' | 'metric' | 'window' | 'mode', string>;
  remaining: number;
  resetsAtMs: number;
}

/**
 * Reads the limits of each decision, so a scrape asks nobody. A limit is reported until a decision finds
 * it below the threshold, or its window ends. Rates are left out: they are free again within a minute.
 */
export function createLimitMetrics(
  metrics: Metrics,
  { top, fromPercent, wallMs }: LimitMetricsOptions,
): LimitMetrics {
  if (top === 0) return { limitsSeen: () => undefined };
  const spent = new Map<string, Spent>();

  function dropEnded(): void {
    const now = wallMs();
    for (const [id, { resetsAtMs }] of spent) if (resetsAtMs <= now) spent.delete(id);
  }

  function seen(limit: LimitState__Output): void {
    if ((limit.kind !== 'BUDGET' && limit.kind !== 'QUOTA') || limit.remaining === '') return;
    // Each value has an amount of its own.
    if (isOneOf(VALUE_SCOPES, limit.scopeType)) return;
    const whole = Number(limit.limit);
    const left = Number(limit.remaining);
    if (left * 100 > whole * (100 - fromPercent)) return void spent.delete(limit.limitId);
    const remaining = whole > 0 ? left / whole : 0;
    const known = spent.get(limit.limitId);
    if (known) {
      known.remaining = remaining;
      known.resetsAtMs = limit.resetsAtMs;
      return;
    }
    if (spent.size >= top) dropEnded();
    if (spent.size >= top && !makePlace(spent, remaining)) return;
    const { kind, limitId, metric, mode, period, resetsAtMs, scopeId, scopeType } = limit;
    const window = period || `${limit.windowSeconds}s`;
    const labels = { kind, limit: limitId, scope: scopeType, scope_id: scopeId, metric, window };
    spent.set(limitId, { labels: { ...labels, mode }, remaining, resetsAtMs });
  }

  metrics.gaugeReadings(
    'tollgate_limit_remaining_ratio',
    'What is left of the budgets and quotas that are used above METRICS_LIMITS_FROM, from 0 to 1, as the last decision found them; those with the least left.',
    ['kind', 'limit', 'scope', 'scope_id', 'metric', 'window', 'mode'],
    'min',
    (): Reading[] => {
      dropEnded();
      return [...spent.values()].map(({ labels, remaining }) => ({ labels, value: remaining }));
    },
  );

  return {
    limitsSeen: (limits) => {
      for (const limit of limits) seen(limit);
    },
  };
}

/** Removes the limit with the most left, if that is more than `remaining`. */
function makePlace(spent: Map<string, Spent>, remaining: number): boolean {
  let loosest: string | undefined;
  let left = remaining;
  for (const [id, each] of spent) {
    if (each.remaining > left) [loosest, left] = [id, each.remaining];
  }
  return loosest !== undefined && spent.delete(loosest);
}
