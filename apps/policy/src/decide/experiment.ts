// Which arm of an experiment a request is assigned to: docs/experiments.md.
import { hash } from 'node:crypto';
import { AFFINITY_BYTES, affinityScore } from '@tollgate/contracts';
import type { AuthorizeRequest__Output } from '@tollgate/contracts/node';

import {
  isPastSunset,
  modelWithId,
  type ArmPlan,
  type AskedModel,
  type ExperimentPlan,
  type KeyPlan,
  type ModelPlan,
  type PlannedPrice,
} from '../directory';
import type { Ask } from './ask';
import { whyLeftOut } from './checks';
import type { Issuer, StoredItems } from './owner';

export interface Assigning {
  readonly request: AuthorizeRequest__Output;
  readonly plan: KeyPlan;
  readonly named: AskedModel;
  readonly nowMs: number;
  readonly priceOf: (model: ModelPlan, nowMs: number) => PlannedPrice | undefined;
  /** What made the object that the request continues, and the items that it refers to. */
  readonly issuer?: Issuer | undefined;
  readonly items?: StoredItems | undefined;
}

interface ArmModel {
  readonly arm: ArmPlan;
  readonly model: ModelPlan;
}

/**
 * What a name stands for in the experiment on it. A request takes part if each arm's model could answer it for its
 * key, so that all arms get the same kinds of requests and no key gets a model without a grant. Else `named` is
 * returned as it is.
 */
export function inExperiment(assigning: Assigning): AskedModel {
  const { named, nowMs, plan, request } = assigning;
  const experiment = plan.organisation.experiments.get(request.model);
  if (experiment === undefined || named.model === undefined || named.ended) return named;
  // A retired name stays refused.
  if (isPastSunset(named.model.retirement, nowMs)) return named;
  if (!isRunning(experiment, nowMs)) return named;
  const models = modelsOfArms(assigning, experiment);
  const chosen = models && (continued(assigning, models) ?? first(assigning, models));
  if (chosen === undefined || chosen === 'none') return named;
  const { experimentId, name } = experiment;
  return {
    ...named,
    model: chosen.model,
    arm: { experimentId, experiment: name, arm: chosen.arm.name },
  };
}

/** By the conversation of the request, else its end user, else the request alone. */
export function armFor(arms: readonly ArmPlan[], identity: Uint8Array): ArmPlan | undefined {
  let best: ArmPlan | undefined;
  let most = 0;
  for (const arm of arms) {
    const score = affinityScore(identity, arm.hash, arm.share);
    if (score > most) [best, most] = [arm, score];
  }
  return best;
}

export function isRunning({ endsAtMs, startsAtMs }: ExperimentPlan, nowMs: number): boolean {
  return startsAtMs <= nowMs && (endsAtMs === 0 || nowMs < endsAtMs);
}

/** Undefined: one of them cannot answer this request. */
function modelsOfArms(
  { nowMs, plan, priceOf, request }: Assigning,
  { arms }: ExperimentPlan,
): ArmModel[] | undefined {
  const found: ArmModel[] = [];
  for (const arm of arms) {
    const model = modelWithId(plan, arm.modelId);
    const ask: Omit<Ask, 'plan' | 'model'> = {
      request,
      nowMs,
      price: model && priceOf(model, nowMs),
    };
    if (model === undefined || whyLeftOut(ask, plan, model) !== undefined) return undefined;
    found.push({ arm, model });
  }
  return found;
}

/**
 * What a provider stores is continued by the arm whose model made it, or outside of the experiment. A conversation
 * belongs to no model: it is assigned by its id if the models of all arms are where it is stored.
 */
function continued(
  { issuer, items, request }: Assigning,
  models: readonly ArmModel[],
): ArmModel | 'none' | undefined {
  const from = issuer ?? items?.issuers[0];
  if (from === undefined) return undefined;
  if (request.conversationId !== '') {
    const all = models.every(({ model }) => model.entry.providerId === from.providerId);
    return all ? undefined : 'none';
  }
  return models.find(({ model }) => model.modelId === from.modelId) ?? 'none';
}

function first({ request }: Assigning, models: readonly ArmModel[]): ArmModel | undefined {
  const arms = models.map(({ arm }) => arm);
  const chosen = armFor(arms, identityOf(request));
  return models.find(({ arm }) => arm === chosen);
}

export function identityOf(request: AuthorizeRequest__Output): Uint8Array {
  // Requests of a stored conversation carry only new messages, so their beginnings differ.
  if (request.conversationId !== '') return bytesOf(`conversation ${request.conversationId}`);
  if (request.affinity.length > 0) return request.affinity;
  if (request.conversation.length > 0) return request.conversation;
  const endUser = request.claimed?.endUser ?? '';
  if (endUser === '') return bytesOf(`request ${request.requestId}`);
  return bytesOf(`${request.keySha256.toString('latin1')} user ${endUser}`);
}

function bytesOf(text: string): Buffer {
  return hash('sha256', text, 'buffer').subarray(0, AFFINITY_BYTES);
}
