import { formatUsd } from '@tollgate/contracts';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';

import { localDate } from '../../ledger/rollups/booking-groups';
import { reachSql } from '../../rest/access';
import type { Call } from '../../rest/call';
import type { SortKey } from '../../rest/paging';

/** What teams and keys have spent this month, for lists that show it and sort by it. */

const SPENT = 'coalesce(spend.spent, 0)';
const ALIAS = 'spent_nano_usd';

/** For `keys` of `readPage`, after `joinMonthSpend`. */
export function bySpend<T>(): SortKey<T> {
  return { column: SPENT, selected: ALIAS, holds: 'amount' };
}

export const spentUsdOf = (raw: Readonly<Record<string, unknown>>): string =>
  formatUsd(BigInt(String(raw[ALIAS])));

/**
 * Joins the sums of this month, in the organisation's calendar and within the caller's reach of usage.
 * Reads one narrow row for each team, user and key with usage in the month.
 */
export function joinMonthSpend<T extends ObjectLiteral>(
  rows: SelectQueryBuilder<T>,
  { organisation, access, nowMs }: Pick<Call, 'organisation' | 'access' | 'nowMs'>,
  { owner, id }: { readonly owner: 'team_id' | 'api_key_id'; readonly id: string },
): void {
  let bound = 0;
  const bind = (value: unknown): string => {
    const name = `spend${(bound += 1)}`;
    rows.setParameter(name, value);
    return `:${name}`;
  };
  const month = `${localDate(nowMs, organisation.timeZone).slice(0, 7)}-01`;
  const conditions = [
    `organisation_id = ${bind(organisation.id)}`,
    `period = 'OWNER_MONTH' AND owners AND starts = ${bind(month)}::date`,
    reachSql(access, bind) ?? 'true',
  ];
  rows
    .leftJoin(
      `(SELECT ${owner} AS owner, sum(cost_nano_usd) AS spent FROM usage_period
        WHERE ${conditions.join(' AND ')} GROUP BY 1)`,
      'spend',
      `spend.owner = ${id}`,
    )
    .addSelect(SPENT, ALIAS);
}
