import { BUDGET_PERIODS, isOneOf, type BudgetPeriod, type QuotaMetric } from '@tollgate/contracts';

// Converts a quota's form texts into the request. Invalid numbers stay text, so that the server
// reports them.

export function limitOf(metric: QuotaMetric, typed: string): number | string {
  const text = typed.trim();
  if (metric === 'COST') return text;
  return /^\d+$/.test(text) ? Number(text) : text;
}

export function windowOf(chosen: string): { period: BudgetPeriod } | { windowSeconds: number } {
  return isOneOf(BUDGET_PERIODS, chosen) ? { period: chosen } : { windowSeconds: Number(chosen) };
}
