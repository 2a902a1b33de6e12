import type { RoutingPolicy } from '@tollgate/contracts/node';

type StoredTimeouts = Record<'attemptMs' | 'connectMs' | 'firstTokenMs' | 'idleMs', number | null>;

/** A row of routing_policy, as JSON. */
export interface StoredRoutingPolicy {
  id: string;
  name: string;
  strategy: string;
  candidates: {
    modelId: string;
    priority: number;
    weight: number;
    timeouts: StoredTimeouts | null;
  }[];
  failover_triggers: string[];
  timeouts: StoredTimeouts;
  total_timeout_ms: number | null;
  retries: number;
  hedge_after_ms: number | null;
}

export function routingPolicyOf(policy: StoredRoutingPolicy): RoutingPolicy {
  return {
    policyId: policy.id,
    name: policy.name,
    strategy: policy.strategy,
    candidates: policy.candidates.map(({ modelId, priority, weight, timeouts }) => ({
      modelId,
      priority,
      weight,
      timeouts: timeouts && timeoutsOf(timeouts),
    })),
    triggers: policy.failover_triggers,
    timeouts: timeoutsOf(policy.timeouts),
    totalTimeoutMs: policy.total_timeout_ms ?? 0,
    retries: policy.retries,
    hedgeAfterMs: policy.hedge_after_ms ?? 0,
  };
}

function timeoutsOf({ attemptMs, connectMs, firstTokenMs, idleMs }: StoredTimeouts) {
  return {
    attemptMs: attemptMs ?? 0,
    connectMs: connectMs ?? 0,
    firstTokenMs: firstTokenMs ?? 0,
    idleMs: idleMs ?? 0,
  };
}
