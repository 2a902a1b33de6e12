import type { rest } from '@tollgate/contracts';

/** The limit that refused and what the request needed of it; undefined: no limit refused. */
export function refusingOf({
  error,
  limits,
}: rest.ExplainedDecision): { limit: rest.RefusingLimit; need: rest.RefusalNeed } | undefined {
  const found = limits.find(({ id }) => id === error?.details?.limit?.id);
  if (found === undefined) return undefined;
  const { id, kind, metric, period, requested, resetsAt, scope, windowSeconds } = found;
  const { held, settled } = found.before;
  const need = error?.details?.need;
  return {
    limit: {
      id,
      kind,
      metric,
      period,
      resetsAt,
      scope,
      windowSeconds,
      limit: found.limit,
      spent: settled ?? 0,
      held: held ?? 0,
    },
    need: {
      requested,
      inputTokens: need?.inputTokens ?? null,
      outputTokens: need?.outputTokens ?? null,
      outputAssumed: need?.outputBound === 'ASSUMED',
      outputExpected: need?.outputBound === 'EXPECTED',
    },
  };
}
