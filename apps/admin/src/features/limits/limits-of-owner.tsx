'use client';

import { rest } from '@tollgate/contracts';

import { useRead } from '../../api/provider';
import { TableCard } from '../../resource/table-card';
import { useOrganisation } from '../../shell/scope';
import { budgetRow, limitRowColumns, quotaRow, rateRow } from './limit-rows';

/** The limits of a team or a user, and those of the organisation. */
export function LimitsOfOwner({ ownerId, noun }: { ownerId: string; noun: string }) {
  const { id: organisationId, timeZone } = useOrganisation();
  const own = useLimits(ownerId);
  const shared = useLimits(organisationId);
  const failed = own.error ?? shared.error;
  const rows =
    own.rows === undefined || shared.rows === undefined ? undefined : [...own.rows, ...shared.rows];
  return (
    <TableCard
      title={`Limits of this ${noun} and of the organisation`}
      hint={own.cut || shared.cut ? `the first ${String(rest.PAGE_LIMIT)} of each kind` : undefined}
      read={{
        data: failed === null && rows !== undefined ? { data: rows } : undefined,
        error: failed,
        refetch: () => Promise.all([own.refetch(), shared.refetch()]),
      }}
      loading="Loading limits"
      caption={`Limits of the ${noun} and of the organisation`}
      columns={limitRowColumns(timeZone)}
      keyOf={({ id }) => id}
      empty={
        <p className="p-4 text-ink-soft">
          No limit that you may see is set for this {noun} or the organisation.
        </p>
      }
    />
  );
}

/** The active limits for this object, one page of each kind. */
function useLimits(scopeId: string) {
  const { id: organisationId } = useOrganisation();
  const query = { scopeId, status: 'ACTIVE', limit: rest.PAGE_LIMIT } as const;
  const of = { params: { organisationId }, query };
  const budgets = useRead(rest.listBudgets, of);
  const quotas = useRead(rest.listQuotas, of);
  const rates = useRead(rest.listRateLimits, of);
  const reads = [budgets, quotas, rates];
  return {
    rows:
      budgets.data === undefined || quotas.data === undefined || rates.data === undefined
        ? undefined
        : [
            ...budgets.data.data.map(budgetRow),
            ...quotas.data.data.map(quotaRow),
            ...rates.data.data.map(rateRow),
          ],
    error: reads.find(({ error }) => error !== null)?.error ?? null,
    cut: reads.some(({ data }) => data !== undefined && data.nextCursor !== null),
    refetch: () => Promise.all(reads.map(({ refetch }) => refetch())),
  };
}
