import type { AuthorizeReply } from '@tollgate/contracts/node';

import {
  type HoldSize,
  type Reading,
  denialOf,
  lowerToAfford,
  refuseByLimits,
  sizeWith,
} from '../decide';
import type { KeyPlan, PlannedLimit } from '../directory';
import type { AuthorizeOutcome } from '../store';
import { readingsOf } from './counters';
import type { HeldLimit } from './ticket';

// What may still be done about a request that limits refuse: a smaller hold, fewer candidates, or
// nothing but saying so.

export type Deny = AuthorizeOutcome & { kind: 'DENY' };

export interface DeniedAttempt {
  readonly plan: KeyPlan;
  readonly size: HoldSize;
  /** Those that count it, and what it would hold of each. */
  readonly counted: readonly PlannedLimit[];
  readonly limits: readonly HeldLimit[];
}

/** A smaller hold, where nothing but budgets that clamp stand in the way and they afford some. */
export function lower(attempt: DeniedAttempt, outcome: Deny): HoldSize | undefined {
  const clamps = new Set(
    attempt.counted.filter((l) => l.kind === 'BUDGET' && l.clamp).map((l) => l.limitId),
  );
  if (!outcome.limitIds.every((id) => clamps.has(id))) return undefined;
  const lefts = exceededReadings(attempt, outcome).map(
    ({ limit, settled, held }) => limit.limit - settled - held,
  );
  const [first, ...rest] = lefts;
  if (first === undefined) return undefined;
  const affordable = rest.reduce((least, left) => (left < least ? left : least), first);
  if (affordable <= 0n || affordable >= attempt.size.costNanoUsd) return undefined;
  return lowerToAfford(attempt.size, affordable);
}

/** The hold without the models whose own limits refuse, where nothing else does and others are left. */
export function withoutRefused(attempt: DeniedAttempt, outcome: Deny): HoldSize | undefined {
  const refusing = attempt.limits.filter(({ limitId }) => outcome.limitIds.includes(limitId));
  if (refusing.some(({ scopeType }) => scopeType !== 'MODEL')) return undefined;
  const refused = new Set(refusing.map(({ scopeId }) => scopeId));
  const left = attempt.size.candidates.filter(({ model }) => !refused.has(model.modelId));
  return left.length === 0 ? undefined : sizeWith(attempt.size, left);
}

export function deny(attempt: DeniedAttempt, outcome: Deny): AuthorizeReply {
  const readings = readingsOf(attempt.limits, outcome.states, (limit) => limit.held);
  const exceeded = exceededReadings(attempt, outcome);
  const refusal = refuseByLimits(exceeded, outcome.nowMs);
  return { denial: denialOf(refusal, attempt.plan.subject, readings) };
}

function exceededReadings(attempt: DeniedAttempt, outcome: Deny): Reading[] {
  return readingsOf(attempt.limits, outcome.states, (limit) => limit.held).filter(({ limit }) =>
    outcome.limitIds.includes(limit.limitId),
  );
}
