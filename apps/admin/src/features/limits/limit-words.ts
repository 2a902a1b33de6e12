import type { rest } from '@tollgate/contracts';

import { showUsd } from '../../format/money';
import { showCount } from '../../format/numbers';
import { sentence } from '../../format/words';
import { METRIC_WORDS, showAmount, windowWords } from './quota-words';

// A limit that was reached, as a table names it.

type Limit = Pick<
  rest.RefusingLimit,
  'kind' | 'metric' | 'period' | 'windowSeconds' | 'limit' | 'spent' | 'held'
>;

/** "Daily budget of $5.00", "Quota (every hour) of 100 requests"; a limit without period and length names no window. */
export function limitWords(limit: Limit): string {
  const { kind, metric, period, windowSeconds } = limit;
  switch (kind) {
    case 'BUDGET':
      return `${period === null ? 'Budget' : `${sentence(period)} budget`} of ${amount(limit, limit.limit)}`;
    case 'QUOTA': {
      const unwindowed = period === null && windowSeconds === null;
      const window = unwindowed ? '' : ` (${windowWords(limit).toLowerCase()})`;
      const of =
        metric === null || metric === 'COST' ? '' : ` ${METRIC_WORDS[metric].toLowerCase()}`;
      return `Quota${window} of ${amount(limit, limit.limit)}${of}`;
    }
    case 'RATE_REQUESTS':
      return `Rate limit of ${amount(limit, limit.limit)} requests a minute`;
    case 'RATE_TOKENS':
      return `Rate limit of ${amount(limit, limit.limit)} tokens a minute`;
    case 'RATE_CONCURRENT':
      return `Limit of ${amount(limit, limit.limit)} requests at once`;
  }
}

/** The name of a soft limit that was passed: its record keeps the window's ends, not its length. */
export function passWords(pass: rest.SoftLimitPass): string {
  return limitWords({ ...pass, period: null, windowSeconds: null });
}

/** How full the limit was: "$4.90 used, $0.20 held". */
export function fillWords(limit: Omit<Limit, 'period' | 'windowSeconds' | 'limit'>): string {
  const held = Number(limit.held) === 0 ? '' : `, ${amount(limit, limit.held)} held`;
  return `${amount(limit, limit.spent)} used${held}`;
}

function amount({ kind, metric }: Pick<Limit, 'kind' | 'metric'>, value: string | number): string {
  if (kind === 'BUDGET' || metric === 'COST') return showUsd(String(value));
  return metric === null ? showCount(Number(value)) : showAmount(metric, value);
}

const LIMIT_PAGES: Readonly<
  Record<rest.RefusingLimit['kind'], { readonly path: string; readonly tab?: string }>
> = {
  BUDGET: { path: 'budgets' },
  QUOTA: { path: 'quotas' },
  RATE_REQUESTS: { path: 'quotas', tab: 'rates' },
  RATE_TOKENS: { path: 'quotas', tab: 'rates' },
  RATE_CONCURRENT: { path: 'quotas', tab: 'rates' },
};

/** The list that holds the limit, filtered by the scope of that limit. */
export function limitPage({ kind, scope }: Pick<rest.RefusingLimit, 'kind' | 'scope'>): {
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
} {
  const { path, tab } = LIMIT_PAGES[kind];
  return { path, query: { tab, scopeType: scope.type, scopeId: scope.id } };
}
