'use client';

import { formatUsd, parseUsd, rest } from '@tollgate/contracts';
import type { ReactNode } from 'react';

import { useRead } from '../../api/provider';
import { Badge } from '../../design/badge';
import { type Column } from '../../design/table';
import { When } from '../../design/when';
import { showUsd } from '../../format/money';
import { showCount } from '../../format/numbers';
import { sentence } from '../../format/words';
import { TableCard } from '../../resource/table-card';
import { useOrganisation } from '../../shell/scope';
import { METRIC_WORDS, showAmount, windowWords } from '../limits/quota-words';
import { ScopeName } from '../pickers/scope-name';
import { binding } from './bound-by';
import { LIMITS_QUERY, REFRESH_MS, USABLE_QUERY } from './queries';

interface Row {
  readonly id: string;
  readonly scope: rest.Scope;
  readonly words: string;
  readonly left: ReactNode;
  readonly empty: boolean;
  readonly mode: rest.Budget['mode'];
  /** Null for a sliding window, which has no reset. */
  readonly resetsAt: string | null;
}

/** All limits that apply to requests of the key, with what is left of each. */
export function LimitsOfKey({ apiKey }: { apiKey: rest.ApiKey }) {
  const { id: organisationId, timeZone } = useOrganisation();
  const of = { params: { organisationId }, query: LIMITS_QUERY };
  // The same interval as the refusals, so that both show the same moment.
  const live = { refreshMs: REFRESH_MS };
  const budgets = useRead(rest.listBudgets, of, live);
  const quotas = useRead(rest.listQuotas, of, live);
  const rates = useRead(rest.listRateLimits, of, live);
  const usable = useRead(rest.listUsableModels, {
    params: { organisationId, apiKeyId: apiKey.id },
    query: USABLE_QUERY,
  });
  const reads = [budgets, quotas, rates, usable];
  const failed = reads.find(({ error }) => error !== null);
  const modelIds = usable.data?.data.map(({ id }) => id) ?? [];
  const cut = reads.some(({ data }) => data !== undefined && data.nextCursor !== null);
  const rows =
    budgets.data === undefined ||
    quotas.data === undefined ||
    rates.data === undefined ||
    usable.data === undefined
      ? undefined
      : [
          ...binding(budgets.data.data, apiKey, modelIds).map(budgetRow),
          ...binding(quotas.data.data, apiKey, modelIds).map(quotaRow),
          ...binding(rates.data.data, apiKey, modelIds).map(rateRow),
        ];
  return (
    <TableCard
      title="Limits that apply to this key"
      hint={cut ? `among the first ${String(rest.PAGE_LIMIT)} of each kind` : undefined}
      read={{
        data: failed === undefined && rows !== undefined ? { data: rows } : undefined,
        error: failed?.error ?? null,
        refetch: () => Promise.all(reads.map(({ refetch }) => refetch())),
      }}
      loading="Loading limits"
      caption="Limits that apply to the key"
      columns={columnsIn(timeZone)}
      keyOf={({ id }) => id}
      empty={<p className="p-4 text-ink-soft">No limit that you may see applies to this key.</p>}
    />
  );
}

function columnsIn(timeZone: string): readonly Column<Row>[] {
  return [
    { title: 'Limit', cell: ({ words }) => words },
    { title: 'Applies to', from: 'sm', cell: ({ scope }) => <ScopeName scope={scope} /> },
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

function budgetRow(budget: rest.Budget): Row {
  const { limitUsd, spentUsd, heldUsd } = budget;
  const used = parseUsd(spentUsd, { allowNegative: true }) + parseUsd(heldUsd);
  const left = parseUsd(limitUsd) - used;
  return {
    id: budget.id,
    scope: budget.scope,
    mode: budget.mode,
    words: `${sentence(budget.period)} budget of ${showUsd(limitUsd)}`,
    left: showUsd(formatUsd(left > 0n ? left : 0n)),
    empty: left <= 0n,
    resetsAt: budget.windowEnd,
  };
}

function quotaRow(quota: rest.Quota): Row {
  const { metric, limit, used, held } = quota;
  const left = Math.max(0, Number(limit) - Number(used) - Number(held));
  return {
    id: quota.id,
    scope: quota.scope,
    mode: quota.mode,
    words: `${windowWords(quota)}: ${showAmount(metric, limit)} ${metric === 'COST' ? '' : METRIC_WORDS[metric].toLowerCase()}`,
    left: showAmount(metric, metric === 'COST' ? left.toFixed(9) : left),
    empty: left <= 0,
    resetsAt: quota.windowEnd,
  };
}

/** Only the gateway knows what is left of a rate limit; its response headers say it. */
function rateRow(limit: rest.RateLimit): Row {
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
    words: sentence(bounds.join(', ')),
    left: <span className="text-ink-faint">in the response headers</span>,
    empty: false,
    resetsAt: null,
  };
}
