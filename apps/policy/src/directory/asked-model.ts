import type { ExperimentArm, Retirement } from '@tollgate/contracts/node';

import type { AliasPlan } from './alias-plan';
import { modelNamed, modelWithId, type KeyPlan, type ModelPlan } from './plan';
import { isPastSunset } from './retirement';

// What the name in a request stands for at an instant: a model, an alias of one, or what replaces one.

export interface AskedModel {
  /** Undefined: nothing has this name, or the alias has no target at this instant. */
  readonly model: ModelPlan | undefined;
  /** Whether the name is that of an alias. */
  readonly isAlias: boolean;
  /** What was announced of the name; undefined: nothing. */
  readonly retirement: Retirement | undefined;
  /** The alias is past its sunset, and nothing replaces it. */
  readonly ended: boolean;
  /** The arm of an experiment that `model` belongs to; absent: the request takes part in none. */
  readonly arm?: ExperimentArm;
}

const NOTHING: AskedModel = {
  model: undefined,
  isAlias: false,
  retirement: undefined,
  ended: false,
};

/**
 * By the name of a model, else of an alias. A model past its sunset is returned as it is unless another one
 * replaces it: the checks refuse it.
 */
export function askedModel(plan: KeyPlan, name: string, nowMs: number): AskedModel {
  const model = modelNamed(plan, name);
  if (model !== undefined) {
    const served = replaced(plan, model, nowMs);
    const retirement = model.retirement?.announced;
    return { model: served, isAlias: false, retirement, ended: false };
  }
  const alias = plan.organisation.aliases.get(name);
  return alias === undefined ? NOTHING : throughAlias(plan, alias, nowMs);
}

function throughAlias(plan: KeyPlan, alias: AliasPlan, nowMs: number): AskedModel {
  const { retirement } = alias;
  const told = { isAlias: true, retirement: retirement?.announced };
  if (isPastSunset(retirement, nowMs)) {
    const successor = modelOrNone(plan, retirement?.successorId);
    return { ...told, model: successor, ended: successor === undefined };
  }
  const target = modelOrNone(plan, targetAt(alias, nowMs));
  return { ...told, model: target && replaced(plan, target, nowMs), ended: false };
}

/** The id of the target in force. */
function targetAt({ targets }: AliasPlan, nowMs: number): string | undefined {
  return targets.findLast(({ effectiveFromMs }) => effectiveFromMs <= nowMs)?.modelId;
}

// One step: a replacement's own replacement is not followed.
function replaced(plan: KeyPlan, model: ModelPlan, nowMs: number): ModelPlan {
  if (!isPastSunset(model.retirement, nowMs)) return model;
  return modelOrNone(plan, model.retirement?.successorId) ?? model;
}

function modelOrNone(plan: KeyPlan, modelId: string | undefined): ModelPlan | undefined {
  return modelId === undefined ? undefined : modelWithId(plan, modelId);
}
