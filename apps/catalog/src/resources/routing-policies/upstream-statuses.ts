import type { rest, UpstreamState } from '@tollgate/contracts';

import { UpstreamStateRow } from '../../ledger/reports/upstream-state.entity';
import type { Call } from '../../rest/call';
import { readPage } from '../../rest/paging';

/** The state at an instant: with time a breaker becomes half open, and then closed. */
function stateAt({ state, openUntil, expiresAt }: UpstreamStateRow, nowMs: number): UpstreamState {
  if (state === 'CLOSED' || (expiresAt !== null && expiresAt.getTime() <= nowMs)) return 'CLOSED';
  return openUntil !== null && openUntil.getTime() > nowMs ? state : 'HALF_OPEN';
}

/** The closed state as an SQL condition. */
const CLOSED = `(upstream.state = 'CLOSED' OR upstream.expiresAt <= :now)`;
const OPEN = `(upstream.state = 'OPEN' AND upstream.openUntil > :now)`;
const CONDITIONS: Readonly<Record<UpstreamState, string>> = {
  CLOSED,
  OPEN: `(${OPEN} AND NOT coalesce(${CLOSED}, false))`,
  HALF_OPEN: `(NOT coalesce(${OPEN}, false) AND NOT coalesce(${CLOSED}, false))`,
};

function represent(row: UpstreamStateRow, nowMs: number): rest.UpstreamStatus {
  const state = stateAt(row, nowMs);
  const cooling = row.cooldownUntil !== null && row.cooldownUntil.getTime() > nowMs;
  return {
    modelId: row.modelId,
    providerId: row.providerId,
    state,
    reason: row.reason === '' ? null : row.reason,
    changedAt: row.changedAt.toISOString(),
    openUntil: state === 'OPEN' ? (row.openUntil?.toISOString() ?? null) : null,
    cooldownUntil: cooling ? (row.cooldownUntil?.toISOString() ?? null) : null,
    attempts: Number(row.attempts),
    failures: Number(row.failures),
  };
}

export async function listUpstreamStatuses(
  call: Call<typeof rest.listUpstreamStatuses>,
): Promise<rest.PageOf<rest.UpstreamStatus>> {
  const { query, db, nowMs } = call;
  const rows = db
    .createQueryBuilder(UpstreamStateRow, 'upstream')
    .where('upstream.organisationId = :organisationId', { organisationId: call.organisation.id })
    .setParameters({ now: new Date(nowMs) });
  if (query.providerId !== undefined) rows.andWhere('upstream.providerId = :providerId', query);
  if (query.modelId !== undefined) rows.andWhere('upstream.modelId = :modelId', query);
  if (query.state !== undefined) rows.andWhere(CONDITIONS[query.state]);
  const page = await readPage(rows, {
    cursor: query.cursor,
    limit: query.limit,
    total: query.total,
    sort: query.sort ?? '-changedAt',
    id: { column: 'upstream.modelId', of: (row) => row.modelId, holds: 'uuid' },
    keys: {
      changedAt: {
        column: 'upstream.changedAt',
        of: (row) => row.changedAt.toISOString(),
        holds: 'instant',
      },
    },
  });
  return {
    data: page.rows.map((row) => represent(row, nowMs)),
    nextCursor: page.nextCursor,
    matching: page.matching,
  };
}
