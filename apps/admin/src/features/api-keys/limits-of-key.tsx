'use client';

import { rest } from '@tollgate/contracts';

import { useRead } from '../../api/provider';
import { TableCard } from '../../resource/table-card';
import { useOrganisation } from '../../shell/scope';
import { budgetRow, limitRowColumns, quotaRow, rateRow } from '../limits/limit-rows';
import { binding } from './bound-by';
import { LIMITS_QUERY, REFRESH_MS, USABLE_QUERY } from './queries';

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
      columns={limitRowColumns(timeZone)}
      keyOf={({ id }) => id}
      empty={<p className="p-4 text-ink-soft">No limit that you may see applies to this key.</p>}
    />
  );
}
