import { BUDGET_PERIODS, isOneOf, type BudgetPeriod, type QuotaMetric } from '@tollgate/contracts';

// What a quota's form holds as texts, as the server takes it. What is no number stays as it was
// typed, so that the server says what is wrong with it.

export function limitOf(metric: QuotaMetric, typed: string): number | string {
  const text = typed.trim();
  if (metric === 'COST') return text;
  return /^\d+$/.test(text) ? Number(text) : text;
}

export function windowOf(chosen: string): { period: BudgetPeriod } | { windowSeconds: number } {
  return isOneOf(BUDGET_PERIODS, chosen) ? { period: chosen } : { windowSeconds: Number(chosen) };
}
