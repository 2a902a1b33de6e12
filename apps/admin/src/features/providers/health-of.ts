import type { rest } from '@tollgate/contracts';

export interface Health {
  readonly requests: number;
  readonly errors: number;
  /** Requests that ended with an error code after this provider was called. */
  readonly refused: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

/** One provider's figures of an exploration by provider and of the list of refused requests. */
export function healthOf(
  providerId: string,
  { groups }: Pick<rest.UsageExploration, 'groups'>,
  refused: readonly Pick<rest.RefusedRequest, 'provider' | 'count'>[],
): Health {
  const totals = groups.find(({ group }) => group.id === providerId)?.totals;
  return {
    requests: totals?.requests ?? 0,
    errors: totals?.errors ?? 0,
    refused: refused
      .filter(({ provider }) => provider?.id === providerId)
      .reduce((sum, { count }) => sum + count, 0),
    p50Ms: totals?.latencyMs?.p50 ?? null,
    p95Ms: totals?.latencyMs?.p95 ?? null,
  };
}
