import type { Limit, ValueLimit } from '@tollgate/contracts/node';

/** Limits as the statement reads them, and as policy gets them. */

export interface StoredLimit {
  id: string;
  kind: string;
  metric: string;
  scope_type: string;
  scope_id: string;
  period: string | null;
  window_seconds: number | null;
  amount: string;
  mode: string;
  clamp: boolean;
}

export interface StoredValueLimit extends StoredLimit {
  tag_key: string | null;
  require_value: boolean;
  value_key: string;
}

export function valueLimitOf(row: StoredValueLimit): ValueLimit {
  return {
    limit: limitOf(row),
    tagKey: row.tag_key ?? '',
    requireValue: row.require_value,
    valueKey: row.value_key,
  };
}

export function limitOf(limit: StoredLimit): Limit {
  return {
    limitId: limit.id,
    kind: limit.kind,
    metric: limit.metric,
    scopeType: limit.scope_type,
    scopeId: limit.scope_id,
    period: limit.period ?? '',
    windowSeconds: limit.window_seconds ?? 0,
    limit: limit.amount,
    mode: limit.mode,
    clamp: limit.clamp,
  };
}
