import {
  CAPABILITIES,
  isFixedFamily,
  isOneOf,
  isRouteFamily,
  isStorageOperation,
  OPERATIONS,
  operationServes,
  pinMatches,
  type ErrorCode,
  type Operation,
} from '@tollgate/contracts';
import type { AuthorizeRequest__Output } from '@tollgate/contracts/node';

import type { KeyPlan, ModelPlan, PlannedPrice } from '../directory';
import {
  checkConversation,
  itemNotFound,
  itemsFit,
  notFound,
  previousResponseFits,
} from './continued';
import { isUnplaced, noSingleProvider } from './conversations';
import type { Issuer, StoredItems } from './owner';
import { providerDoes, routeServes } from './reach';
import { unpricedTool } from './server-tools';

/** A refusal before any counter is read. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** Why a key is not valid: for operators, never for the client. */
  readonly reason?: string;
}

/** Input of the checks. Plan, model and price are absent where the key or the model is unknown. */
export interface Ask {
  readonly request: AuthorizeRequest__Output;
  readonly nowMs: number;
  readonly plan: KeyPlan | undefined;
  readonly model: ModelPlan | undefined;
  /** The price in effect now. */
  readonly price: PlannedPrice | undefined;
  /** Who made the response that this request continues; absent: none is named, or it is unknown. */
  readonly issuer?: Issuer | undefined;
  /** Absent: the input names no stored items. */
  readonly items?: StoredItems | undefined;
}

export type Passed = undefined;
type Check = (ask: Ask, plan: KeyPlan, model: ModelPlan) => Refusal | Passed;

// The first refusal wins. Limits come after the last check: one script decides over all counters,
// and ./denials puts their refusals into this order.
const MODEL_CHECKS: readonly (readonly [name: string, check: Check])[] = [
  ['the model can do the operation', operationFits],
  ['its provider can do the operation', providerFits],
  ['the pinned provider serves the model', pinFits],
  ['the route may use the provider', routeFits],
  ['the response that it continues is there', previousResponseFits],
  ['the items that it refers to are there', itemsFit],
  ['the provider is set up', providerReady],
  ['what its server tools cost is known', toolsPriced],
  ['the key may use the model', modelGranted],
];

// Checks of a routed request that names one candidate: what would be refused without the policy is
// refused with it. Only failures that are not the request's fault continue with other candidates.
const NAMED_CHECKS: readonly Check[] = [
  operationFits,
  providerFits,
  pinFits,
  routeFits,
  modelGranted,
];

/** Why a candidate is left out, in the order of the checks. */
const CANDIDATE_CHECKS: readonly (readonly [reason: LeftOutReason, check: Check])[] = [
  ['operation', operationFits],
  ['operation', providerFits],
  ['provider_pin', pinFits],
  ['route_family', routeFits],
  ['not_granted', modelGranted],
];

export type LeftOutReason =
  | 'model_unavailable'
  | 'operation'
  | 'provider_pin'
  | 'route_family'
  | 'not_granted'
  | 'capability_tools'
  | 'capability_vision'
  | 'capability_audio'
  | 'context_window'
  | 'provider_inactive'
  | 'no_price'
  | 'no_unit_price'
  | 'limit_reached'
  | 'breaker_open'
  | 'breaker_probing'
  | 'cooldown';

const NAME_SHOWN = 200;

// Only the owner of a stored object may read it; whether the model may be used counts when it runs
// again.
const STORED_CHECKS: readonly Check[] = [routeFits, providerSwitchedOn];

/** The first refusal: of the key (401), the model or provider (400), the grant (403). */
export function checkAccess(ask: Ask): Refusal | Passed {
  const { plan, model } = ask;
  if (plan === undefined || !keyIsValid(plan, ask.nowMs)) return invalidKey(plan);
  if (ask.items?.refused !== undefined) return itemNotFound(ask.items.refused);
  if (ask.request.storedId !== '') return checkStored(ask, plan);
  if (ask.request.conversationId !== '') {
    const refusal = checkConversation(ask);
    if (refusal !== undefined) return refusal;
  }
  if (model === undefined) {
    if (isUnplaced(ask.request)) return noSingleProvider(plan, ask.request);
    return { code: 'model_not_found', details: { model: ask.request.model.slice(0, NAME_SHOWN) } };
  }
  for (const [, check] of MODEL_CHECKS) {
    const refusal = check(ask, plan, model);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function checkStored(ask: Ask, plan: KeyPlan): Refusal | Passed {
  const { issuer, model } = ask;
  if (issuer === undefined || model === undefined) return notFound(ask);
  for (const check of STORED_CHECKS) {
    const refusal = check(ask, plan, model);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/**
 * Like checkAccess, for a request with a routing policy; `model` is absent where the request names
 * the policy.
 */
export function checkRouted(ask: Ask): Refusal | Passed {
  const { plan, model } = ask;
  if (plan === undefined || !keyIsValid(plan, ask.nowMs)) return invalidKey(plan);
  if (model === undefined) return undefined;
  for (const check of NAMED_CHECKS) {
    const refusal = check(ask, plan, model);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
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
  if (entry.contextTokens > 0 && ask.request.inputTokensEstimate >= entry.contextTokens) {
    return 'context_window';
  }
  if (!entry.providerActive) return 'provider_inactive';
  if (ask.price === undefined && model.countsCost) return 'no_price';
  return unpricedTool(ask.request, model, ask.price) ? 'no_unit_price' : undefined;
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

function providerSwitchedOn(_ask: Ask, _plan: KeyPlan, model: ModelPlan): Refusal | Passed {
  if (model.entry.providerActive) return undefined;
  return {
    code: 'provider_misconfigured',
    message: `The provider of the model "${model.name}" is switched off. An administrator has to switch it on.`,
    details: { model: model.name, reason: 'provider_inactive' },
  };
}

function providerReady(ask: Ask, plan: KeyPlan, model: ModelPlan): Refusal | Passed {
  const { price, request } = ask;
  const off = providerSwitchedOn(ask, plan, model);
  if (off !== undefined) return off;
  if (price !== undefined || !model.countsCost || isStorageOperation(request.operation))
    return undefined;
  return {
    code: 'provider_misconfigured',
    message: `The model "${model.name}" has no price in effect, so its cost cannot be held against a budget or quota. An administrator has to set one.`,
    details: { model: model.name, reason: 'no_price' },
  };
}

// A tool without a price could not be held against a hard limit.
function toolsPriced({ request, price }: Ask, _plan: KeyPlan, model: ModelPlan): Refusal | Passed {
  const tool = unpricedTool(request, model, price);
  if (tool === undefined) return undefined;
  const { param, unit } = tool;
  return {
    code: 'provider_misconfigured',
    message:
      `${param}: the model "${model.name}" has no price for the unit ${unit}, so the calls of this tool cannot ` +
      `be held against a hard budget or cost quota. Send the request without the tool, or ask an administrator ` +
      `to add a price for ${unit} to the model (0 if it is free).`,
    details: { model: model.name, param, reason: 'no_unit_price', unit },
  };
}

function modelGranted(_ask: Ask, _plan: KeyPlan, model: ModelPlan): Refusal | Passed {
  if (model.granted) return undefined;
  return { code: 'model_access_denied', details: { model: model.name } };
}
