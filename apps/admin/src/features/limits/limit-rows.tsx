import { formatUsd, parseUsd, type rest } from '@tollgate/contracts';
import type { ReactNode } from 'react';

import { Badge } from '../../design/badge';
import type { Column } from '../../design/table';
import { When } from '../../design/when';
import { showUsd } from '../../format/money';
import { showCount, showPart } from '../../format/numbers';
import { sentence } from '../../format/words';
import { ScopeName } from '../pickers/scope-name';
import { usedPart } from './forecast';
import { LimitLink } from './limit-link';
import { amountPart, METRIC_WORDS, showAmount, windowWords } from './quota-words';

// Budgets, quotas and rate limits in one table: how full each is, and what is left.

export interface LimitRow {
  readonly id: string;
  readonly scope: rest.Scope;
  readonly kind: rest.RefusingLimit['kind'];
  readonly words: string;
  /** Spent and held, as a part of the limit; undefined where only the gateway knows. */
  readonly used: number | undefined;
  readonly left: ReactNode;
  readonly empty: boolean;
  readonly mode: rest.Budget['mode'];
  /** Null for a sliding window, which has no reset. */
  readonly resetsAt: string | null;
}

export function limitRowColumns(timeZone: string): readonly Column<LimitRow>[] {
  return [
    { title: 'Limit', cell: (row) => <LimitLink limit={row}>{row.words}</LimitLink> },
    { title: 'Applies to', from: 'sm', cell: ({ scope }) => <ScopeName scope={scope} /> },
    {
      title: 'Used',
      align: 'right',
      cell: ({ used }) => (used === undefined ? '—' : showPart(used)),
    },
    {
      title: 'Left',
      align: 'right',
      cell: ({ left, empty, mode }) => (
        <span className="inline-flex flex-wrap justify-end gap-1.5">
          {empty && (
            <Badge tone={mode === 'HARD' ? 'bad' : 'warn'}>
              {mode === 'HARD' ? 'refuses' : 'reports only'}
            </Badge>
          )}
          {left}
        </span>
      ),
    },
    {
      title: 'Resets',
      align: 'right',
      from: 'md',
      cell: ({ resetsAt }) => (
        <When instant={resetsAt} timeZone={timeZone} format="minute" never="sliding window" />
      ),
    },
  ];
}

export function budgetRow(budget: rest.Budget): LimitRow {
  const { limitUsd, spentUsd, heldUsd } = budget;
  const used = parseUsd(spentUsd, { allowNegative: true }) + parseUsd(heldUsd);
  const left = parseUsd(limitUsd) - used;
  return {
    id: budget.id,
    scope: budget.scope,
    mode: budget.mode,
    kind: 'BUDGET',
    used: usedPart(formatUsd(used), limitUsd),
    words: `${sentence(budget.period)} budget of ${showUsd(limitUsd)}`,
    left: showUsd(formatUsd(left > 0n ? left : 0n)),
    empty: left <= 0n,
    resetsAt: budget.windowEnd,
  };
}

export function quotaRow(quota: rest.Quota): LimitRow {
  const { metric, limit, used, held } = quota;
  const left = Math.max(0, Number(limit) - Number(used) - Number(held));
  return {
    id: quota.id,
    scope: quota.scope,
    mode: quota.mode,
    kind: 'QUOTA',
    used: amountPart(Number(used) + Number(held), limit),
    words: `${windowWords(quota)}: ${showAmount(metric, limit)} ${metric === 'COST' ? '' : METRIC_WORDS[metric].toLowerCase()}`,
    left: showAmount(metric, metric === 'COST' ? left.toFixed(9) : left),
    empty: left <= 0,
    resetsAt: quota.windowEnd,
  };
}

/** Only the gateway knows what is left of a rate limit; its response headers say it. */
export function rateRow(limit: rest.RateLimit): LimitRow {
  const { requestsPerMinute, tokensPerMinute, concurrentRequests } = limit;
  const bounds = [
    requestsPerMinute === null ? [] : [`${showCount(requestsPerMinute)} requests a minute`],
    tokensPerMinute === null ? [] : [`${showCount(tokensPerMinute)} tokens a minute`],
    concurrentRequests === null ? [] : [`${showCount(concurrentRequests)} at once`],
  ].flat();
  return {
    id: limit.id,
    scope: limit.scope,
    mode: limit.mode,
    kind: 'RATE_REQUESTS',
    used: undefined,
    words: sentence(bounds.join(', ')),
    left: <span className="text-ink-faint">in the response headers</span>,
    empty: false,
    resetsAt: null,
  };
}
