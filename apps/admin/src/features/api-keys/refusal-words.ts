import type { rest } from '@tollgate/contracts';
import { showUsd } from '../../format/money';
import { showCount } from '../../format/numbers';
import { sentence } from '../../format/words';
import { METRIC_WORDS, showAmount, windowWords } from '../limits/quota-words';

type Limit = Pick<
  rest.RefusingLimit,
  'kind' | 'metric' | 'period' | 'windowSeconds' | 'limit' | 'spent' | 'held'
>;

/** "Daily budget of $5.00", "An hour: 100 requests". */
export function limitWords(limit: Limit): string {
  const { kind, metric, period } = limit;
  switch (kind) {
    case 'BUDGET':
      return `${period === null ? 'Budget' : `${sentence(period)} budget`} of ${amount(limit, limit.limit)}`;
    case 'QUOTA': {
      const of =
        metric === null || metric === 'COST' ? '' : ` ${METRIC_WORDS[metric].toLowerCase()}`;
      return `Quota (${windowWords(limit).toLowerCase()}) of ${amount(limit, limit.limit)}${of}`;
    }
    case 'RATE_REQUESTS':
      return `Rate limit of ${amount(limit, limit.limit)} requests a minute`;
    case 'RATE_TOKENS':
      return `Rate limit of ${amount(limit, limit.limit)} tokens a minute`;
    case 'RATE_CONCURRENT':
      return `Limit of ${amount(limit, limit.limit)} requests at once`;
  }
}

/** How full it was when it refused: "$4.90 spent, $0.20 held". */
export function fillWords(limit: Limit): string {
  const held = Number(limit.held) === 0 ? '' : `, ${amount(limit, limit.held)} held`;
  return `${amount(limit, limit.spent)} used${held}`;
}

function amount({ kind, metric }: Limit, value: string | number): string {
  if (kind === 'BUDGET' || metric === 'COST') return showUsd(String(value));
  return metric === null ? showCount(Number(value)) : showAmount(metric, value);
}
