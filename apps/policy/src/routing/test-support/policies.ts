import type { ModelEntry__Output, RoutingPolicy__Output } from '@tollgate/contracts/node';

import { context, model, price } from '../../test-support/contexts';

// Keys with a routing policy over some models: m0, m1, … of different providers.

export type CandidateChanges = Partial<RoutingPolicy__Output['candidates'][number]>;

export function candidateModel(
  place: number,
  changes: Partial<ModelEntry__Output> = {},
): ModelEntry__Output {
  return model({
    modelId: `m${String(place)}`,
    name: `model-${String(place)}`,
    providerId: `p${String(place)}`,
    prices: [price({ priceId: `price-${String(place)}` })],
    ...changes,
  });
}

export function routingPolicy(
  candidates: readonly CandidateChanges[],
  changes: Partial<RoutingPolicy__Output> = {},
): RoutingPolicy__Output {
  return {
    policyId: 'policy-1',
    name: 'any-chat',
    strategy: 'failover',
    candidates: candidates.map((candidate, place) => ({
      modelId: `m${String(place)}`,
      priority: place + 1,
      weight: 1,
      timeouts: null,
      ...candidate,
    })),
    triggers: ['5xx', 'timeout'],
    timeouts: null,
    totalTimeoutMs: 0,
    retries: 0,
    hedgeAfterMs: 0,
    ...changes,
  };
}

/** A key's context whose policy has these models as candidates. */
export function routedContext(
  models: readonly ModelEntry__Output[],
  policy: Partial<RoutingPolicy__Output> = {},
  changes: Parameters<typeof context>[0] = {},
) {
  return context({
    models: [...models],
    routingEnabled: true,
    routingPolicy: routingPolicy(
      models.map(({ modelId }) => ({ modelId })),
      policy,
    ),
    ...changes,
  });
}
