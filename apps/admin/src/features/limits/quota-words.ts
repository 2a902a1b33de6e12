import type { QuotaMetric, rest } from '@tollgate/contracts';

import { showUsd } from '../../format/money';
import { showCount, showDuration } from '../../format/numbers';
import { sentence } from '../../format/words';

export const METRIC_WORDS: Readonly<Record<QuotaMetric, string>> = {
  REQUESTS: 'Requests',
  TOKENS: 'Tokens',
  TOKENS_IN: 'Input tokens',
  TOKENS_OUT: 'Output tokens',
  ERRORS: 'Errors',
  COST: 'Cost',
  LATENCY_MS: 'Upstream time',
};

/** An amount of a metric: a count, US dollars as text, or milliseconds. */
export function showAmount(metric: QuotaMetric, amount: number | string): string {
  if (typeof amount === 'string') return showUsd(amount);
  return metric === 'LATENCY_MS' ? showDuration(amount) : showCount(amount);
}

export function amountPart(amount: number | string, limit: number | string): number {
  const whole = Number(limit);
  return whole === 0 ? 1 : Number(amount) / whole;
}

const UNITS = [
  { seconds: 86_400, word: 'day' },
  { seconds: 3_600, word: 'hour' },
  { seconds: 60, word: 'minute' },
  { seconds: 1, word: 'second' },
] as const;

/** "Monthly", or "Every 6 hours". */
export function windowWords({
  period,
  windowSeconds,
}: Pick<rest.Quota, 'period' | 'windowSeconds'>): string {
  if (period !== null) return sentence(period);
  const seconds = windowSeconds ?? 0;
  const unit = UNITS.find((candidate) => seconds % candidate.seconds === 0) ?? UNITS[3];
  const count = seconds / unit.seconds;
  return count === 1 ? `Every ${unit.word}` : `Every ${showCount(count)} ${unit.word}s`;
}

/** Window lengths offered in addition to calendar periods, in seconds. */
export const WINDOW_CHOICES = [60, 300, 900, 3_600, 21_600, 43_200, 86_400] as const;
