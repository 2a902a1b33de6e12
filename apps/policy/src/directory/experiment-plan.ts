import { itemHash } from '@tollgate/contracts';
import type { ExperimentEntry__Output, Limit__Output } from '@tollgate/contracts/node';

import { plannedLimit, type PlannedLimit } from './planned-limits';

export interface ExperimentPlan {
  readonly experimentId: string;
  readonly name: string;
  readonly arms: readonly ArmPlan[];
  /** 0: since it exists. */
  readonly startsAtMs: number;
  /** 0: never. */
  readonly endsAtMs: number;
  /** Absent: no second model gets its requests. */
  readonly shadow?: ShadowPlan;
}

/** A model that gets a part of the requests a second time. */
export interface ShadowPlan {
  readonly modelId: string;
  readonly samplePercent: number;
  /** What all requests of the shadow may cost together. */
  readonly budget: PlannedLimit;
}

export interface ArmPlan {
  readonly name: string;
  readonly modelId: string;
  /** In per cent. */
  readonly share: number;
  /** Of the experiment and the arm, so that two experiments divide conversations independently. */
  readonly hash: number;
}

export function experimentPlan({
  arms,
  endsAtMs,
  experimentId,
  name,
  shadow,
  startsAtMs,
}: ExperimentEntry__Output): ExperimentPlan {
  return {
    experimentId,
    name,
    arms: arms.map((arm) => ({ ...arm, hash: itemHash(`${experimentId}/${arm.name}`) })),
    startsAtMs,
    endsAtMs,
    ...(shadow?.budget
      ? { shadow: { ...shadow, budget: shadowBudget(experimentId, shadow.budget) } }
      : {}),
  };
}

/** Only a hard budget of money that counts the experiment bounds its shadow. */
function shadowBudget(experimentId: string, wire: Limit__Output): PlannedLimit {
  const budget = plannedLimit(wire);
  const { kind, mode, scopeId, scopeType } = budget;
  const bounds =
    kind === 'BUDGET' && mode === 'HARD' && scopeType === 'API_KEY' && scopeId === experimentId;
  if (!bounds) throw new RangeError(`limit ${budget.limitId}: is not the budget of a shadow`);
  return budget;
}
