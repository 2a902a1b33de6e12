import { isOneOf, itemHash, ROUTING_STRATEGIES, type RoutingStrategy } from '@tollgate/contracts';
import type { AttemptTimeouts__Output, RoutingPolicy__Output } from '@tollgate/contracts/node';

import type { ModelPlan } from './plan';

export interface PlannedCandidate {
  readonly modelId: string;
  /** Position in the policy. */
  readonly place: number;
  /** Undefined: archived, or switched off. */
  readonly model: ModelPlan | undefined;
  /** Lower comes first. */
  readonly priority: number;
  readonly weight: number;
  /** Of the model, for the order in which conversations prefer candidates. */
  readonly hash: number;
  readonly timeouts: AttemptTimeouts__Output;
}

/** A key's routing policy with its models. */
export interface RoutingPlan {
  readonly policyId: string;
  readonly name: string;
  readonly strategy: RoutingStrategy;
  readonly triggers: readonly string[];
  readonly totalTimeoutMs: number;
  readonly retries: number;
  readonly hedgeAfterMs: number;
  readonly candidates: readonly PlannedCandidate[];
  /** The candidate that would answer without routing a request that names none of them: the first by priority. */
  readonly firstModelId: string;
}

const CANDIDATES_MAX = 16;
const TIMEOUTS = ['attemptMs', 'connectMs', 'firstTokenMs', 'idleMs'] as const;

/** A RangeError names what is invalid in the catalog's reply. */
export function routingPlan(
  wire: RoutingPolicy__Output,
  modelWithId: (modelId: string) => ModelPlan | undefined,
): RoutingPlan {
  const { policyId, strategy, candidates } = wire;
  if (!isOneOf(ROUTING_STRATEGIES, strategy)) {
    throw new RangeError(`routing policy ${policyId}: unknown strategy`);
  }
  if (candidates.length === 0 || candidates.length > CANDIDATES_MAX) {
    throw new RangeError(
      `routing policy ${policyId}: it must have 1 to ${String(CANDIDATES_MAX)} candidates`,
    );
  }
  const [first] =
    strategy === 'priority' ? candidates.toSorted((a, b) => a.priority - b.priority) : candidates;
  return {
    policyId,
    name: wire.name,
    firstModelId: first?.modelId ?? '',
    strategy,
    triggers: wire.triggers,
    totalTimeoutMs: wire.totalTimeoutMs,
    retries: wire.retries,
    hedgeAfterMs: wire.hedgeAfterMs,
    candidates: candidates.map(({ modelId, priority, weight, timeouts }, place) => ({
      modelId,
      place,
      model: modelWithId(modelId),
      priority,
      weight: Math.max(1, weight),
      hash: itemHash(modelId),
      timeouts: combined(timeouts, wire.timeouts),
    })),
  };
}

function combined(
  own: AttemptTimeouts__Output | null,
  all: AttemptTimeouts__Output | null,
): AttemptTimeouts__Output {
  const combine = (name: (typeof TIMEOUTS)[number]): number => own?.[name] || all?.[name] || 0;
  return {
    attemptMs: combine('attemptMs'),
    connectMs: combine('connectMs'),
    firstTokenMs: combine('firstTokenMs'),
    idleMs: combine('idleMs'),
  };
}
