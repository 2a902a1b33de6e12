// Which requests are sent to the second model of an experiment, and whether they may: docs/experiments.md.
import { hash } from 'node:crypto';
import { isFreeOperation } from '@tollgate/contracts';
import type { AuthorizeRequest__Output, Shadow } from '@tollgate/contracts/node';

import {
  experimentWithId,
  isShadowed,
  modelWithId,
  shadowPlan,
  type KeyPlan,
  type ModelPlan,
  type PlannedPrice,
  type ShadowedExperiment,
} from '../directory';
import type { Refusal } from './ask';
import { checkAccess, invalidKey, keyIsValid, whyLeftOut } from './checks';
import { isRunning } from './experiment';
import { LEFT_OUT_CODES } from './left-out-codes';

export interface Shadowing {
  readonly request: AuthorizeRequest__Output;
  readonly plan: KeyPlan;
  readonly nowMs: number;
  readonly priceOf: (model: ModelPlan, nowMs: number) => PlannedPrice | undefined;
}

/** What a request that takes part in an experiment is told of its shadow; undefined: it has none. */
export function shadowOf(shadowing: Shadowing, experimentId: string): Shadow | undefined {
  const { nowMs, plan, priceOf, request } = shadowing;
  const experiment = experimentWithId(plan, experimentId);
  if (!isShadowed(experiment) || !isPlain(request) || !isSampled(experiment, request)) {
    return undefined;
  }
  const { modelId } = experiment.shadow;
  const second = shadowPlan(plan, experiment);
  const model = modelWithId(second, modelId);
  const price = model && priceOf(model, nowMs);
  const leftOut = whyLeftOut({ request, nowMs, price }, second, model);
  const leftOutCode =
    leftOut === undefined || leftOut === 'limit_reached' ? '' : LEFT_OUT_CODES[leftOut];
  return { experimentId, modelId, leftOut: leftOut ?? '', leftOutCode };
}

/** What a shadow's own request gets: the plan of the shadow and its model. */
export type ShadowAccess =
  | {
      readonly refusal: Refusal;
      /** Absent: it is not known whose shadow it is. */ readonly plan?: KeyPlan;
    }
  | {
      readonly plan: KeyPlan;
      readonly model: ModelPlan;
      readonly price: PlannedPrice | undefined;
    };

/** Checks the request of a shadow anew: limits, grants and the experiment may have changed since the client's. */
export function shadowAccess(
  key: KeyPlan | undefined,
  { nowMs, priceOf, request }: Omit<Shadowing, 'plan'>,
): ShadowAccess {
  if (key === undefined || !keyIsValid(key, nowMs)) return { refusal: invalidKey(key) };
  const experiment = experimentWithId(key, request.shadowExperimentId);
  if (!isShadowed(experiment) || !isRunning(experiment, nowMs)) return { refusal: NO_SHADOW };
  const plan = shadowPlan(key, experiment);
  const model = modelWithId(plan, experiment.shadow.modelId);
  const price = model && priceOf(model, nowMs);
  const refusal = checkAccess({ request, nowMs, plan, model, price });
  if (refusal !== undefined) return { refusal, plan };
  if (model === undefined) throw new Error('a request without a model passed the checks');
  return { plan, model, price };
}

const NO_SHADOW: Refusal = {
  code: 'model_not_found',
  message: 'The experiment has no shadow now.',
};

/** A second call of the request has no effect but its answer. */
function isPlain(request: AuthorizeRequest__Output): boolean {
  const { conversationId, itemIds, operation, previousResponseId, replayedItemIds } = request;
  return (
    request.serverTools.length === 0 &&
    request.storedId === '' &&
    conversationId === '' &&
    previousResponseId === '' &&
    itemIds.length === 0 &&
    replayedItemIds.length === 0 &&
    !isFreeOperation(operation)
  );
}

const PARTS = 2 ** 32;

/** By a hash, so that nothing is stored and a repeated question has the same answer. */
function isSampled(
  { experimentId, shadow }: ShadowedExperiment,
  { requestId }: AuthorizeRequest__Output,
): boolean {
  const part = hash('sha256', `${experimentId} shadow ${requestId}`, 'buffer').readUInt32BE(0);
  return part * 100 < shadow.samplePercent * PARTS;
}
