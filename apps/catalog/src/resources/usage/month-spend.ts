import { formatUsd } from '@tollgate/contracts';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { z } from 'zod';

import { localDate } from '../../ledger/rollups/booking-groups';
import { reachSql } from '../../rest/access';
import type { Call } from '../../rest/call';
import type { SortKey } from '../../rest/paging';

// What teams and keys have spent this month, for lists that show it and sort by it.

const SPENT = 'coalesce(spend.spent, 0)';
const ALIAS = 'spent_nano_usd';

/** For `keys` of `readPage`, after `joinMonthSpend`. */
export function bySpend<T>(): SortKey<T> {
  return { column: SPENT, selected: ALIAS, holds: 'amount' };
}

type Caller = Pick<Call, 'organisation' | 'access' | 'nowMs'>;
type OwnerColumn = 'team_id' | 'api_key_id';

/** Conditions on the sums of this month, in the organisation's calendar and within the caller's reach of usage. */
function thisMonth(
  { organisation, access, nowMs }: Caller,
  bind: (value: unknown) => string,
): string {
  const month = `${localDate(nowMs, organisation.timeZone).slice(0, 7)}-01`;
  return [
    `organisation_id = ${bind(organisation.id)}`,
    `period = 'OWNER_MONTH' AND owners AND starts = ${bind(month)}::date`,
    reachSql(access, bind) ?? 'true',
  ].join(' AND ');
}

const spentRows = z.array(z.object({ owner: z.string(), spent: z.coerce.string() }));

/** What each of these teams or keys has spent. */
export async function monthSpendOf(
  call: Caller & Pick<Call, 'db'>,
  owner: OwnerColumn,
  ids: readonly string[],
): Promise<(id: string) => string> {
  const values: unknown[] = [];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const found = await call.db.query(
    `SELECT ${owner} AS owner, sum(cost_nano_usd) AS spent FROM usage_period
     WHERE ${thisMonth(call, bind)} AND ${owner} = ANY(${bind(ids)}::uuid[]) GROUP BY 1`,
    values,
  );
  const sums = new Map(spentRows.parse(found).map(({ owner: id, spent }) => [id, BigInt(spent)]));
  return (id) => formatUsd(sums.get(id) ?? 0n);
}

/** For lists that are sorted by it: reads one narrow row for each team, user and key with usage in the month. */
export function joinMonthSpend<T extends ObjectLiteral>(
  rows: SelectQueryBuilder<T>,
  caller: Caller,
  { owner, id }: { readonly owner: OwnerColumn; readonly id: string },
): void {
  let bound = 0;
  const bind = (value: unknown): string => {
    const name = `spend${(bound += 1)}`;
    rows.setParameter(name, value);
    return `:${name}`;
  };
  rows
    .leftJoin(
      `(SELECT ${owner} AS owner, sum(cost_nano_usd) AS spent FROM usage_period
        WHERE ${thisMonth(caller, bind)} GROUP BY 1)`,
      'spend',
      `spend.owner = ${id}`,
    )
    .addSelect(SPENT, ALIAS);
}
