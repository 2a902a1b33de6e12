import type { rest } from '@tollgate/contracts';
import type { ExperimentEntry, ExperimentShadow } from '@tollgate/contracts/node';

import type { StoredShadow } from '../entities/experiment.entity';
import { limitOf, type StoredLimit } from './limits';

/** An active experiment as its row holds it. Instants are 0 where none is given. */
export interface StoredExperiment {
  id: string;
  name: string;
  model: string;
  arms: rest.ExperimentArm[];
  shadow: StoredShadow | null;
  shadow_budget: StoredLimit | null;
  starts_at_ms: number;
  ends_at_ms: number;
}

export function experimentOf(experiment: StoredExperiment): ExperimentEntry {
  return {
    experimentId: experiment.id,
    name: experiment.name,
    model: experiment.model,
    arms: experiment.arms,
    startsAtMs: experiment.starts_at_ms,
    endsAtMs: experiment.ends_at_ms,
    shadow: shadowOf(experiment),
  };
}

// Without a budget that limits it, a shadow is none.
function shadowOf({ shadow, shadow_budget: budget }: StoredExperiment): ExperimentShadow | null {
  return shadow === null || budget === null ? null : { ...shadow, budget: limitOf(budget) };
}
