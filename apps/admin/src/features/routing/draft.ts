import {
  FAILOVER_TRIGGERS,
  type FailoverTrigger,
  type rest,
  type RoutingStrategy,
} from '@tollgate/contracts';
import type { z } from 'zod';

import { numberOrNull } from '../../resource/typed';

// The draft of a routing policy: form state and request body. Pure.

export interface CandidateDraft {
  readonly modelId: string;
  /** As typed. */
  readonly priority: string;
  readonly weight: string;
  /** The candidate's own timeouts, kept unchanged. */
  readonly timeouts: rest.AttemptTimeouts | null;
}

export interface RoutingDraft {
  readonly name: string;
  readonly strategy: RoutingStrategy;
  readonly candidates: readonly CandidateDraft[];
  readonly failoverTriggers: readonly FailoverTrigger[];
  readonly retries: string;
  /** Milliseconds as typed; empty: the provider's timeout, or never. */
  readonly attemptMs: string;
  readonly connectMs: string;
  readonly firstTokenMs: string;
  readonly idleMs: string;
  readonly totalTimeoutMs: string;
  readonly hedgeAfterMs: string;
  readonly active: boolean;
}

export const NEW_POLICY: RoutingDraft = {
  name: '',
  strategy: 'failover',
  candidates: [],
  failoverTriggers: ['5xx', 'timeout'],
  retries: '0',
  attemptMs: '',
  connectMs: '',
  firstTokenMs: '',
  idleMs: '',
  totalTimeoutMs: '',
  hedgeAfterMs: '',
  active: true,
};

export function draftOf(policy: rest.RoutingPolicy): RoutingDraft {
  const { name, strategy, candidates, failoverTriggers, retries, timeouts } = policy;
  return {
    name,
    strategy,
    failoverTriggers,
    candidates: candidates.map(({ modelId, priority, weight, timeouts: own }) => ({
      modelId,
      priority: String(priority),
      weight: String(weight),
      timeouts: own,
    })),
    retries: String(retries),
    attemptMs: typed(timeouts.attemptMs),
    connectMs: typed(timeouts.connectMs),
    firstTokenMs: typed(timeouts.firstTokenMs),
    idleMs: typed(timeouts.idleMs),
    totalTimeoutMs: typed(policy.totalTimeoutMs),
    hedgeAfterMs: typed(policy.hedgeAfterMs),
    active: policy.status === 'ACTIVE',
  };
}

function typed(ms: number | null): string {
  return ms === null ? '' : String(ms);
}

/** Text that is not a number is sent so that the server names the field. */
export function bodyOf(draft: RoutingDraft): z.input<typeof rest.routingPolicyCreate> {
  const { name, strategy, candidates, failoverTriggers, active } = draft;
  return {
    name,
    strategy,
    candidates: candidates.map(({ modelId, priority, weight, timeouts }) => ({
      modelId,
      timeouts,
      // Numbers that the strategy ignores are kept.
      ...(priority.trim() === '' ? {} : { priority: needed(priority) }),
      weight: needed(weight),
    })),
    failoverTriggers: [...failoverTriggers],
    retries: needed(draft.retries),
    timeouts: {
      attemptMs: optional(draft.attemptMs),
      connectMs: optional(draft.connectMs),
      firstTokenMs: optional(draft.firstTokenMs),
      idleMs: optional(draft.idleMs),
    },
    totalTimeoutMs: optional(draft.totalTimeoutMs),
    hedgeAfterMs: optional(draft.hedgeAfterMs),
    status: active ? 'ACTIVE' : 'DISABLED',
  };
}

/** JSON turns NaN into null, which means empty. A fraction is refused instead. */
const NO_WHOLE_NUMBER = 0.5;

function optional(text: string): number | null {
  const value = numberOrNull(text);
  return Number.isNaN(value) ? NO_WHOLE_NUMBER : value;
}

function needed(text: string): number {
  return optional(text) ?? NO_WHOLE_NUMBER;
}

/** The selected models as candidates. Existing ones are kept, new ones come last. */
export function chosen(
  candidates: readonly CandidateDraft[],
  modelIds: readonly string[],
): readonly CandidateDraft[] {
  const known = new Set(candidates.map(({ modelId }) => modelId));
  const added = modelIds.filter((modelId) => !known.has(modelId));
  return [
    ...candidates.filter(({ modelId }) => modelIds.includes(modelId)),
    ...added.map((modelId) => ({ modelId, priority: '', weight: '1', timeouts: null })),
  ];
}

/** Moves a candidate up (-1) or down (1); at the end of the list it stays. */
export function moved(
  candidates: readonly CandidateDraft[],
  index: number,
  by: -1 | 1,
): readonly CandidateDraft[] {
  const [from, to] = [candidates[index], candidates[index + by]];
  if (from === undefined || to === undefined) return candidates;
  return candidates.with(index, to).with(index + by, from);
}

/** `any` includes the others, so it excludes them. */
export function withTrigger(
  triggers: readonly FailoverTrigger[],
  trigger: FailoverTrigger,
  on: boolean,
): readonly FailoverTrigger[] {
  if (on && trigger === 'any') return ['any'];
  return FAILOVER_TRIGGERS.filter((other) =>
    other === trigger ? on : triggers.includes(other) && other !== 'any',
  );
}
