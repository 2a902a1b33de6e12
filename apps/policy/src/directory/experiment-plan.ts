import { itemHash } from '@tollgate/contracts';
import type { ExperimentEntry__Output } from '@tollgate/contracts/node';

export interface ExperimentPlan {
  readonly experimentId: string;
  readonly name: string;
  readonly arms: readonly ArmPlan[];
  /** 0: since it exists. */
  readonly startsAtMs: number;
  /** 0: never. */
  readonly endsAtMs: number;
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
  startsAtMs,
}: ExperimentEntry__Output): ExperimentPlan {
  return {
    experimentId,
    name,
    arms: arms.map((arm) => ({ ...arm, hash: itemHash(`${experimentId}/${arm.name}`) })),
    startsAtMs,
    endsAtMs,
  };
}
