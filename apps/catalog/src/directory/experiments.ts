import type { rest } from '@tollgate/contracts';
import type { ExperimentEntry } from '@tollgate/contracts/node';

/** An active experiment as its row holds it. Instants are 0 where none is given. */
export interface StoredExperiment {
  id: string;
  name: string;
  model: string;
  arms: rest.ExperimentArm[];
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
  };
}
