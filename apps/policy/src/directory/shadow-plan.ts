import { SHADOW_SUBJECT } from '@tollgate/contracts';

import type { ExperimentPlan, ShadowPlan } from './experiment-plan';
import type { KeyPlan } from './plan';

/** An experiment that has a shadow. */
export type ShadowedExperiment = ExperimentPlan & { readonly shadow: ShadowPlan };

export function isShadowed(
  experiment: ExperimentPlan | undefined,
): experiment is ShadowedExperiment {
  return experiment?.shadow !== undefined;
}

export function experimentWithId(plan: KeyPlan, experimentId: string): ExperimentPlan | undefined {
  for (const experiment of plan.organisation.experiments.values()) {
    if (experiment.experimentId === experimentId) return experiment;
  }
  return undefined;
}

/**
 * What a key's request may do as the shadow of an experiment. Grants and regions are the key's. In the books the
 * experiment takes the place of the key, and there is no team and no user, so that nothing of the client counts it. The
 * limits are the shadow's budget, and the budgets and quotas of the organisation and of the model.
 */
export function shadowPlan(
  plan: KeyPlan,
  { experimentId, name, shadow }: ShadowedExperiment,
): KeyPlan {
  return {
    ...plan,
    subject: {
      ...plan.subject,
      teamId: '',
      userId: '',
      apiKeyId: experimentId,
      apiKeyName: name,
      apiKeyType: SHADOW_SUBJECT,
    },
    client: plan.subject,
    responseCache: undefined,
    keptBodies: undefined,
    routing: undefined,
    ownLimits: [shadow.budget],
    valueLimits: [],
    used: new Map(),
    usedServers: new Map(),
  };
}
