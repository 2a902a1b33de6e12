import { formatUsd, rest } from '@tollgate/contracts';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { z } from 'zod';

import { localDate } from '../../ledger/rollups/booking-groups';
import type { Period } from '../../ledger/rollups/period-sql';
import { reachSql } from '../../rest/access';
import type { Call } from '../../rest/call';
import type { SortKey } from '../../rest/paging';

// What teams, users, keys, models and providers have spent this month, for lists that show it and sort by it.

const SPENT = 'coalesce(spend.spent, 0)';
const ALIAS = 'spent_nano_usd';

/** For `keys` of `readPage`, after `joinMonthSpend`. */
export function bySpend<T>(): SortKey<T> {
  return { column: SPENT, selected: ALIAS, holds: 'amount' };
}

type Caller = Pick<Call, 'access' | 'actor' | 'nowMs' | 'organisation'>;
/** Narrow rows have owners only; models and providers are summed from the detailed rows of the month. */
const PERIODS = {
  team_id: 'OWNER_MONTH',
  user_id: 'OWNER_MONTH',
  api_key_id: 'OWNER_MONTH',
  model_id: 'MONTH',
  provider_id: 'MONTH',
} as const satisfies Record<string, Period>;
type SpentBy = keyof typeof PERIODS;

/**
 * Conditions on the sums of this month, in the organisation's calendar and within the caller's reach of usage: who
 * sees all models does not see what everybody spent on them.
 */
function thisMonth(
  { organisation, access, actor, nowMs }: Caller,
  by: SpentBy,
  bind: (value: unknown) => string,
): string {
  const reach = rest.reachOf(actor.role, 'usage.read') ?? 'self';
  const month = `${localDate(nowMs, organisation.timeZone).slice(0, 7)}-01`;
  const mine = reachSql({ ...access, reach }, bind);
  // Rows without owners have the same totals in far fewer rows, but say nothing about whose they are.
  const owners = PERIODS[by] === 'OWNER_MONTH' || mine !== undefined;
  return [
    `organisation_id = ${bind(organisation.id)}`,
    `period = '${PERIODS[by]}' AND ${owners ? '' : 'NOT '}owners AND starts = ${bind(month)}::date`,
    mine ?? 'true',
  ].join(' AND ');
}

const spentRows = z.array(z.object({ owner: z.string(), spent: z.coerce.string() }));

/** What each of these has spent. */
export async function monthSpendOf(
  call: Caller & Pick<Call, 'db'>,
  owner: SpentBy,
  ids: readonly string[],
): Promise<(id: string) => string> {
  const values: unknown[] = [];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const found = await call.db.query(
    `SELECT ${owner} AS owner, sum(cost_nano_usd) AS spent FROM usage_period
     WHERE ${thisMonth(call, owner, bind)} AND ${owner} = ANY(${bind(ids)}::uuid[]) GROUP BY 1`,
    values,
  );
  const sums = new Map(spentRows.parse(found).map(({ owner: id, spent }) => [id, BigInt(spent)]));
  return (id) => formatUsd(sums.get(id) ?? 0n);
}

/** Only lists that are sorted by it sum all rows of the month, not only those of the page. */
export function joinMonthSpend<T extends ObjectLiteral>(
  rows: SelectQueryBuilder<T>,
  call: Caller & { readonly query: { readonly sort?: string | undefined } },
  { owner, id }: { readonly owner: SpentBy; readonly id: string },
): void {
  if (call.query.sort?.endsWith('spentUsd') !== true) return;
  let bound = 0;
  const bind = (value: unknown): string => {
    const name = `spend${(bound += 1)}`;
    rows.setParameter(name, value);
    return `:${name}`;
  };
  rows
    .leftJoin(
      `(SELECT ${owner} AS owner, sum(cost_nano_usd) AS spent FROM usage_period
        WHERE ${thisMonth(call, owner, bind)} GROUP BY 1)`,
      'spend',
      `spend.owner = ${id}`,
    )
    .addSelect(SPENT, ALIAS);
}
