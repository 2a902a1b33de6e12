import { ruleFor, type PassthroughRule } from '@tollgate/contracts';
import type { PassthroughCall__Output } from '@tollgate/contracts/node';

import { grantedPassthrough, modelsOf, type KeyPlan, type PassthroughPlan } from '../directory';
import type { Refusal } from './ask';
import { invalidKey, keyIsValid } from './checks';
import { passthroughRegionFits } from './regions';
import { screeningOf } from './screening';

// Checks of a request that goes to a provider as it is, before any counter is read.

const NAME_SHOWN = 200;

export interface PassthroughPlace {
  readonly provider: PassthroughPlan;
  readonly rule: PassthroughRule;
}

export type PassthroughAccess = { readonly refusal: Refusal } | PassthroughPlace;

/**
 * The rule that allows a request. An unknown provider, one that is switched off, one without rules and one that the
 * key may not call are refused alike, so that a key cannot find out what exists.
 */
export function passthroughAccess(
  plan: KeyPlan | undefined,
  call: PassthroughCall__Output,
  nowMs: number,
): PassthroughAccess {
  if (plan === undefined || !keyIsValid(plan, nowMs)) return { refusal: invalidKey(plan) };
  const shown = call.provider.slice(0, NAME_SHOWN);
  const provider = grantedPassthrough(plan, call.provider);
  if (provider === undefined) return { refusal: denied(undefined, { provider: shown }) };
  const { method, path } = call;
  const rule = ruleFor(provider.rules, method, path);
  if (rule === undefined) {
    const text = `No passthrough rule of the provider "${shown}" allows ${method} ${path.slice(0, NAME_SHOWN)}. Ask an administrator to add one.`;
    return { refusal: denied(text, { provider: shown, method, reason: 'no_rule' }) };
  }
  if (call.requestBytes > rule.maxRequestBytes) return { refusal: tooLarge(rule) };
  if (isScreened(plan, provider)) {
    const text =
      'Safety screening applies to this API key or to models of this provider, and it cannot read passthrough requests. Use a route that the gateway knows, or a key without screening.';
    return { refusal: denied(text, { provider: shown, reason: 'screening' }) };
  }
  const outside = passthroughRegionFits(plan, provider);
  return outside === undefined ? { provider, rule } : { refusal: outside };
}

function denied(message: string | undefined, details: Readonly<Record<string, unknown>>): Refusal {
  const code = 'passthrough_denied';
  return message === undefined ? { code, details } : { code, message, details };
}

function tooLarge({ maxRequestBytes: limitBytes }: PassthroughRule): Refusal {
  const message = `The body is larger than ${limitBytes} bytes, the most that the passthrough rule allows.`;
  return { code: 'invalid_request', message, details: { limitBytes } };
}

// A policy that is attached to a model would be bypassed by a rule for the endpoint of that model.
function isScreened(plan: KeyPlan, { entry }: PassthroughPlan): boolean {
  const { screening } = plan.organisation;
  if (screening.length === 0) return false;
  const models = modelsOf(plan).filter((model) => model.entry.providerId === entry.providerId);
  return screeningOf(screening, plan.subject, models).length > 0;
}
