// Whether an administrator has set up what a request needs of its provider.
import { isFreeOperation } from '@tollgate/contracts';

import type { KeyPlan, ModelPlan } from '../directory';
import type { Ask, Passed, Refusal } from './ask';
import { unpricedTool } from './server-tools';
import { tierWithoutPrice } from './tiers';

export function providerSwitchedOn(_ask: Ask, _plan: KeyPlan, model: ModelPlan): Refusal | Passed {
  if (model.entry.providerActive) return undefined;
  return {
    code: 'provider_misconfigured',
    message: `The provider of the model "${model.name}" is switched off. An administrator has to switch it on.`,
    details: { model: model.name, reason: 'provider_inactive' },
  };
}

export function providerReady(ask: Ask, plan: KeyPlan, model: ModelPlan): Refusal | Passed {
  const { price, request } = ask;
  const off = providerSwitchedOn(ask, plan, model);
  if (off !== undefined) return off;
  if (price !== undefined || !model.countsCost || isFreeOperation(request.operation))
    return undefined;
  return {
    code: 'provider_misconfigured',
    message: `The model "${model.name}" has no price in effect, so its cost cannot be held against a budget or quota. An administrator has to set one.`,
    details: { model: model.name, reason: 'no_price' },
  };
}

// A tool without a price could not be held against a hard limit.
export function toolsPriced(
  { request, price }: Ask,
  _plan: KeyPlan,
  model: ModelPlan,
): Refusal | Passed {
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

// A tier without a percentage could cost more than is held against a hard limit.
export function tiersPriced(
  { request, price }: Ask,
  _plan: KeyPlan,
  model: ModelPlan,
): Refusal | Passed {
  const found = tierWithoutPrice(request, model, price);
  if (found === undefined) return undefined;
  const { name, param } = found;
  return {
    code: 'provider_misconfigured',
    message:
      `${param}: the price of the model "${model.name}" has no percentage for the tier ${name}, so its cost cannot be ` +
      `held against a hard budget or cost quota. Send the request without ${param}, or ask an administrator to add ` +
      `tierPercent.${name} to the price (100 if it costs the same).`,
    details: { model: model.name, param, reason: 'no_tier_price', tier: name },
  };
}
