import {
  CAPABILITIES,
  isFixedFamily,
  isOneOf,
  isRouteFamily,
  OPERATIONS,
  operationServes,
  pinMatches,
  type Operation,
} from '@tollgate/contracts';

import type { KeyPlan, ModelPlan } from '../directory';
import type { Ask, CheckName, Passed, Refusal } from './ask';
import {
  checkConversation,
  itemNotFound,
  itemsFit,
  notFound,
  previousResponseFits,
} from './continued';
import { isUnplaced, noSingleProvider } from './conversations';
import { providerDoes, routeServes } from './reach';
import { regionFits, screeningRegionFits } from './regions';
import { unpricedTool } from './server-tools';
import { providerReady, providerSwitchedOn, tiersPriced, toolsPriced } from './set-up';
import { notPastSunset, pastSunset } from './sunset';
import { tierWithoutPrice } from './tiers';

type Check = (ask: Ask, plan: KeyPlan, model: ModelPlan) => Refusal | Passed;

type NamedCheck = readonly [name: CheckName, check: Check];

// The first refusal wins. Limits come after the last check: one script, or the memory, decides over all
// counters, and ./denials puts their refusals into this order.
const MODEL_CHECKS: readonly NamedCheck[] = [
  ['sunset', notPastSunset],
  ['operation', operationFits],
  ['provider_operation', providerFits],
  ['provider_pin', pinFits],
  ['route', routeFits],
  ['continued_response', previousResponseFits],
  ['stored_items_reachable', itemsFit],
  ['provider_set_up', providerReady],
  ['tool_prices', toolsPriced],
  ['tier_prices', tiersPriced],
  ['model_access', modelGranted],
  ['region', regionFits],
  ['screening_region', screeningRegionFits],
];

// Checks of a routed request that names one candidate: what would be refused without the policy is
// refused with it. Only failures that are not the request's fault continue with other candidates.
const NAMED_CHECKS: readonly NamedCheck[] = [
  ['sunset', notPastSunset],
  ['operation', operationFits],
  ['provider_operation', providerFits],
  ['provider_pin', pinFits],
  ['route', routeFits],
  ['model_access', modelGranted],
];

/** Why a candidate is left out, in the order of the checks. */
const CANDIDATE_CHECKS: readonly (readonly [reason: LeftOutReason, check: Check])[] = [
  ['sunset', notPastSunset],
  ['operation', operationFits],
  ['operation', providerFits],
  ['provider_pin', pinFits],
  ['route_family', routeFits],
  ['not_granted', modelGranted],
  ['region', regionFits],
  ['screening_region', screeningRegionFits],
];

export type LeftOutReason =
  | 'model_unavailable'
  | 'sunset'
  | 'operation'
  | 'provider_pin'
  | 'route_family'
  | 'not_granted'
  | 'region'
  | 'screening_region'
  | 'capability_tools'
  | 'capability_vision'
  | 'capability_audio'
  | 'context_window'
  | 'provider_inactive'
  | 'no_price'
  | 'no_unit_price'
  | 'no_tier_price'
  | 'limit_reached'
  | 'breaker_open'
  | 'breaker_probing'
  | 'cooldown';

const NAME_SHOWN = 200;

// Only the owner of a stored object may read it; whether the model may be used counts when it runs
// again. Its region counts always: even a read is a call of its provider.
const STORED_CHECKS: readonly NamedCheck[] = [
  ['route', routeFits],
  ['provider_set_up', providerSwitchedOn],
  ['region', regionFits],
  ['screening_region', screeningRegionFits],
];

/** The first refusal: of the key (401), the model or provider (400), the grant (403). */
export function checkAccess(ask: Ask): Refusal | Passed {
  const { plan, model } = ask;
  if (plan === undefined || !keyIsValid(plan, ask.nowMs)) return invalidKey(plan);
  ask.note?.('key', true);
  if (ask.items !== undefined) {
    const { refused } = ask.items;
    ask.note?.('stored_items', refused === undefined);
    if (refused !== undefined) return itemNotFound(refused);
  }
  if (ask.request.storedId !== '') return checkStored(ask, plan);
  if (ask.request.conversationId !== '') {
    const refusal = checkConversation(ask);
    ask.note?.('conversation', refusal === undefined);
    if (refusal !== undefined) return refusal;
  }
  ask.note?.('model', model !== undefined || ask.named?.ended === true);
  if (model === undefined) {
    const ended = ask.named?.ended === true ? ask.named.retirement : undefined;
    if (ended !== undefined) {
      ask.note?.('sunset', false);
      return pastSunset('alias', ended);
    }
    if (isUnplaced(ask.request)) return noSingleProvider(plan, ask.request, ask.nowMs);
    return { code: 'model_not_found', details: { model: ask.request.model.slice(0, NAME_SHOWN) } };
  }
  return firstRefusal(MODEL_CHECKS, ask, plan, model);
}

function firstRefusal(
  checks: readonly NamedCheck[],
  ask: Ask,
  plan: KeyPlan,
  model: ModelPlan,
): Refusal | Passed {
  for (const [name, check] of checks) {
    const refusal = check(ask, plan, model);
    ask.note?.(name, refusal === undefined);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function checkStored(ask: Ask, plan: KeyPlan): Refusal | Passed {
  const { issuer, model } = ask;
  const known = issuer !== undefined && model !== undefined;
  ask.note?.('stored_object', known);
  return known ? firstRefusal(STORED_CHECKS, ask, plan, model) : notFound(ask);
}

/**
 * Like checkAccess, for a request with a routing policy; `model` is absent where the request names
 * the policy.
 */
export function checkRouted(ask: Ask): Refusal | Passed {
  const { plan, model } = ask;
  if (plan === undefined || !keyIsValid(plan, ask.nowMs)) return invalidKey(plan);
  ask.note?.('key', true);
  return model === undefined ? undefined : firstRefusal(NAMED_CHECKS, ask, plan, model);
}

/** Why a request cannot use a candidate of its policy; undefined: it can. */
export function whyLeftOut(
  ask: Omit<Ask, 'plan' | 'model'>,
  plan: KeyPlan,
  model: ModelPlan | undefined,
): LeftOutReason | undefined {
  if (model === undefined) return 'model_unavailable';
  const whole: Ask = { ...ask, plan, model };
  for (const [reason, check] of CANDIDATE_CHECKS) {
    if (check(whole, plan, model) !== undefined) return reason;
  }
  const { capabilities, entry } = model;
  const missing =
    capabilities &&
    ask.request.requiredCapabilities
      .split(',')
      .find((word) => isOneOf(CAPABILITIES, word) && !capabilities.has(word));
  if (isOneOf(CAPABILITIES, missing)) return `capability_${missing}`;
  // How long sound is, is not known before: its estimate is the most that it can be.
  const { audioInputTokensEstimate: sound, inputTokensEstimate: input } = ask.request;
  if (entry.contextTokens > 0 && input - sound >= entry.contextTokens) return 'context_window';
  if (!entry.providerActive) return 'provider_inactive';
  if (ask.price === undefined && model.countsCost) return 'no_price';
  if (unpricedTool(ask.request, model, ask.price)) return 'no_unit_price';
  return tierWithoutPrice(ask.request, model, ask.price) ? 'no_tier_price' : undefined;
}

export function keyIsValid(plan: KeyPlan, nowMs: number): boolean {
  return plan.active && (plan.expiresAtMs === 0 || plan.expiresAtMs > nowMs);
}

/** Clients get the same answer for unknown and revoked keys; only operators see the reason. */
export function invalidKey(plan: KeyPlan | undefined): Refusal {
  if (plan === undefined) return { code: 'invalid_api_key' };
  const reason = plan.active ? 'the key is EXPIRED' : plan.inactiveReason;
  return { code: 'invalid_api_key', reason };
}

function operationFits({ request }: Ask, _plan: KeyPlan, model: ModelPlan): Refusal | Passed {
  const { operation } = request;
  if (isOneOf(OPERATIONS, operation) && operationServes(operation, model.type)) return undefined;
  return {
    code: 'unsupported_model',
    message: `The model "${model.name}" is of type ${model.type} and cannot do ${operation}. Choose a model made for it.`,
    details: { model: model.name, modelType: model.type, operation },
  };
}

// Checked before the route: no setting adds an operation to a provider's interface.
function providerFits({ request }: Ask, _plan: KeyPlan, model: ModelPlan): Refusal | Passed {
  const { operation } = request;
  const { providerLabel } = model.entry;
  if (providerDoes(operation, model)) return undefined;
  return {
    code: 'unsupported_model',
    message: `The provider of the model "${model.name}" has no ${operation} operation. Choose a model of another provider.`,
    details: { model: model.name, provider: providerLabel, operation },
  };
}

function pinFits({ request }: Ask, _plan: KeyPlan, model: ModelPlan): Refusal | Passed {
  if (request.providerPin === '' || pinMatches(request.providerPin, model.providerType)) {
    return undefined;
  }
  return {
    code: 'provider_mismatch',
    message: `The model "${model.name}" is served by ${model.entry.providerLabel}, not by ${request.providerPin}.`,
    details: { model: model.name, provider: model.entry.providerLabel },
  };
}

function routeFits({ request }: Ask, plan: KeyPlan, model: ModelPlan): Refusal | Passed {
  if (routeServes(request, plan, model)) return undefined;
  const { family, operation } = request;
  const { providerLabel: provider } = model.entry;
  const what = `This route does not serve models of ${provider}`;
  const details = { model: model.name, provider };
  if (!isRouteFamily(family) || !isFixedFamily(family)) {
    const message = `${what}. Choose a model of the provider that the route is made for.`;
    return { code: 'provider_mismatch', message, details };
  }
  const instead = isOneOf(OPERATIONS, operation) ? SERVES_ANY_PROVIDER[operation] : undefined;
  return {
    code: 'provider_mismatch',
    message:
      `${what} while the organisation's setting openCompatRoutes is off. An administrator can switch it on ` +
      `(Settings, "Any model on every vendor’s routes")${instead ? `; ${instead} serves them in any case` : ''}.`,
    details: { ...details, setting: 'openCompatRoutes' },
  };
}

/** Routes with the same operations that accept any provider. */
const SERVES_ANY_PROVIDER: Readonly<Partial<Record<Operation, string>>> = {
  chat: '/v1/llm/chat',
  responses: '/v1/llm/chat',
  embeddings: '/v1beta/models/{model}:embedContent',
};

function modelGranted(_ask: Ask, _plan: KeyPlan, model: ModelPlan): Refusal | Passed {
  if (model.granted) return undefined;
  return { code: 'model_access_denied', details: { model: model.name } };
}
