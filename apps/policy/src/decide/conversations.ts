// Chooses the provider of a new conversation: docs/decisions/0057. The request body names no model.
import { operationServes } from '@tollgate/contracts';
import type { AuthorizeRequest__Output } from '@tollgate/contracts/node';

import { isPastSunset, modelWithId, type KeyPlan, type ModelPlan } from '../directory';
import type { Refusal } from './ask';
import { providerDoes, routeServes } from './reach';
import { regionFits, regionServes, screeningRegionFits } from './regions';

const CREATE = 'conversation_create';

/** The header by which a client names the model. */
const MODEL_HEADER = 'x-tollgate-model';

/** Most models that a refusal names, one per provider. */
const MODELS_NAMED = 5;

/** Whether the request creates a conversation and leaves the provider to the key's models. */
export function isUnplaced({ operation, model }: AuthorizeRequest__Output): boolean {
  return operation === CREATE && model === '';
}

/** A model of the only provider that can keep the conversation; undefined: several can, or none. */
export function modelForConversation(
  plan: KeyPlan,
  request: AuthorizeRequest__Output,
  nowMs: number,
): ModelPlan | undefined {
  const [first, second] = oneOfEachProvider({ plan, request, nowMs }, 2);
  return second === undefined ? first : undefined;
}

export function noSingleProvider(
  plan: KeyPlan,
  request: AuthorizeRequest__Output,
  nowMs: number,
): Refusal {
  const asking = { plan, request, nowMs };
  const models = oneOfEachProvider(asking, MODELS_NAMED).map(({ name }) => name);
  if (models.length === 0) {
    const [outside] = oneOfEachProvider(asking, 1, 'everywhere');
    const refusal =
      outside && (regionFits({}, plan, outside) ?? screeningRegionFits({}, plan, outside));
    if (refusal !== undefined) return refusal;
    return {
      code: 'unsupported_model',
      message:
        'No model that this key may use is of a provider that keeps conversations. Ask an administrator ' +
        'to grant the key one.',
      details: { operation: CREATE, reason: 'no_provider' },
    };
  }
  const named = models.map((name) => `"${name}"`).join(', ');
  return {
    code: 'invalid_request',
    message:
      `${MODEL_HEADER}: this key's models are of several providers that keep conversations. Send this ` +
      `header with the model that the conversation will be continued with, such as ${named}.`,
    details: { param: MODEL_HEADER, reason: 'several_providers', models },
  };
}

interface Asking {
  readonly plan: KeyPlan;
  readonly request: AuthorizeRequest__Output;
  readonly nowMs: number;
}

/** In the order of their names. */
function oneOfEachProvider(
  { plan, request, nowMs }: Asking,
  most: number,
  reach: 'in allowed regions' | 'everywhere' = 'in allowed regions',
): ModelPlan[] {
  const found = new Map<string, ModelPlan>();
  for (const model of plan.organisation.models) {
    const { modelId, type, entry } = model;
    if (isPastSunset(model.retirement, nowMs)) continue;
    if (found.has(entry.providerId) || !entry.providerActive) continue;
    if (!operationServes(CREATE, type) || !providerDoes(CREATE, model)) continue;
    if (!routeServes(request, plan, model)) continue;
    const own = modelWithId(plan, modelId);
    if (own === undefined || (reach !== 'everywhere' && !regionServes(plan, own))) continue;
    if (own.granted) found.set(entry.providerId, own);
    if (found.size === most) break;
  }
  return [...found.values()];
}
