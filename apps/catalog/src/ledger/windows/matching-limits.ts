import type { BudgetPeriod, LimitScope, QuotaMetric } from '@tollgate/contracts';

import type { Tx } from '../../db';
import { arrayLiteral } from '../records/column-arrays';
import type { Dimensions } from '../records/entry';

/** The columns of a budget or quota that the books need. Rate limits have no windows. */
export interface BookedLimit {
  limitId: string;
  kind: 'BUDGET' | 'QUOTA';
  organisationId: string;
  scopeType: LimitScope;
  scopeId: string;
  metric: QuotaMetric;
  period: BudgetPeriod | '';
  windowSeconds: number;
}

interface LimitRow {
  id: string;
  kind: 'BUDGET' | 'QUOTA';
  organisation_id: string;
  scope_type: LimitScope;
  scope_id: string;
  metric: QuotaMetric;
  period: BudgetPeriod | null;
  window_seconds: number | null;
}

const SELECT_LIMITS = `
  SELECT id, 'BUDGET' AS kind, organisation_id, scope_type, scope_id, 'COST' AS metric, period,
    NULL::integer AS window_seconds
  FROM budget WHERE $where
  UNION ALL
  SELECT id, 'QUOTA', organisation_id, scope_type, scope_id, metric, period, window_seconds
  FROM quota WHERE $where`;

const byScope = SELECT_LIMITS.replaceAll(
  '$where',
  'scope_id = ANY($1::uuid[]) AND value_key IS NULL',
);
const byId = SELECT_LIMITS.replaceAll('$where', 'id = ANY($1::uuid[])');

/**
 * Every limit that counts these dimensions, including disabled ones, whose windows must be right
 * when they are enabled again. Limits on each value are not among them: entries name what counts in those.
 */
export async function findMatchingLimits(
  tx: Tx,
  dimensions: readonly Dimensions[],
): Promise<BookedLimit[]> {
  const scopes = new Set<string>();
  for (const one of dimensions) {
    for (const id of scopeIdsOf(one)) scopes.add(id);
  }
  const { rows } = await tx.query<LimitRow>({
    name: 'ledger-limits-by-scope',
    text: byScope,
    values: [arrayLiteral([...scopes])],
  });
  return rows.map(limitOf);
}

/** The ids by which limits can count these dimensions. */
export function scopeIdsOf(dimensions: Dimensions): string[] {
  const { organisationId, teamId, userId, apiKeyId, modelId, mcpServerId } = dimensions;
  return [organisationId, teamId, userId, apiKeyId, modelId, mcpServerId].filter(
    (id) => id !== null,
  );
}

export async function findLimitsById(tx: Tx, ids: readonly string[]): Promise<BookedLimit[]> {
  const { rows } = await tx.query<LimitRow>({
    name: 'ledger-limits-by-id',
    text: byId,
    values: [arrayLiteral(ids)],
  });
  return rows.map(limitOf);
}

function limitOf(row: LimitRow): BookedLimit {
  return {
    limitId: row.id,
    kind: row.kind,
    organisationId: row.organisation_id,
    scopeType: row.scope_type,
    scopeId: row.scope_id,
    metric: row.metric,
    period: row.period ?? '',
    windowSeconds: row.window_seconds ?? 0,
  };
}
