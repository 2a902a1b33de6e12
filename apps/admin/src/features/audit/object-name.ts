import { BUDGET_PERIODS, isOneOf, QUOTA_METRICS, type rest } from '@tollgate/contracts';

import { showUsd } from '../../format/money';
import { showCount } from '../../format/numbers';
import { sentence } from '../../format/words';
import { monthName } from '../invoices/month';
import { METRIC_WORDS, showAmount, windowWords } from '../limits/quota-words';

// The target of an audit event as text. Pure.

type State = rest.AuditEvent['after'];

/** The object's name, or its distinguishing fields; undefined when the event has neither. */
export function nameOfObject(before: State, after: State): string | undefined {
  const text = (field: string): string | undefined => {
    const value = after?.[field] ?? before?.[field];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const count = (field: string): number | undefined => {
    const value = after?.[field] ?? before?.[field];
    return typeof value === 'number' ? value : undefined;
  };
  return (
    text('name') ??
    budgetWords(text) ??
    quotaWords(text, count) ??
    rateWords(count) ??
    text('email') ??
    text('number') ??
    monthWords(text)
  );
}

/** Old events may have another shape; those yield no name. */
const isAmount = (text: string): boolean => /^\d{1,10}(\.\d{1,9})?$/.test(text);

type Text = (field: string) => string | undefined;
type Count = (field: string) => number | undefined;

function budgetWords(text: Text): string | undefined {
  const [limitUsd, period] = [text('limitUsd'), text('period')];
  if (limitUsd === undefined || !isAmount(limitUsd)) return undefined;
  return `${period === undefined ? 'Budget' : `${sentence(period)} budget`} of ${showUsd(limitUsd)}`;
}

function quotaWords(text: Text, count: Count): string | undefined {
  const metric = text('metric');
  const limit = count('limit') ?? text('limit');
  if (!isOneOf(QUOTA_METRICS, metric) || limit === undefined) return undefined;
  if (typeof limit === 'string' && !isAmount(limit)) return undefined;
  const noun = metric === 'COST' ? '' : ` ${METRIC_WORDS[metric].toLowerCase()}`;
  const amount = `${showAmount(metric, limit)}${noun}`;
  const windowSeconds = count('windowSeconds') ?? null;
  const period = text('period');
  if (isOneOf(BUDGET_PERIODS, period)) {
    return `${windowWords({ period, windowSeconds: null })}: ${amount}`;
  }
  // An event of a limit that was passed has the instants of its window instead.
  if (windowSeconds === null) return `Limit of ${amount}`;
  return `${windowWords({ period: null, windowSeconds })}: ${amount}`;
}

/** Of an invoice that has no number yet. */
function monthWords(text: Text): string | undefined {
  const month = text('month');
  return month !== undefined && /^\d{4}-\d{2}$/.test(month) ? monthName(month) : undefined;
}

function rateWords(count: Count): string | undefined {
  const bounds = [
    [count('requestsPerMinute'), 'requests a minute'],
    [count('tokensPerMinute'), 'tokens a minute'],
    [count('concurrentRequests'), 'at once'],
  ] as const;
  const words = bounds.flatMap(([bound, of]) =>
    bound === undefined ? [] : [`${showCount(bound)} ${of}`],
  );
  return words.length === 0 ? undefined : words.join(', ');
}
