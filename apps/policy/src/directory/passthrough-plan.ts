import { limitApplies, type PassthroughRule } from '@tollgate/contracts';
import type {
  PassthroughProvider__Output,
  PassthroughRule__Output,
} from '@tollgate/contracts/node';

import type { KeyPlan } from './plan';
import type { PlannedLimit } from './planned-limits';

/** A provider whose endpoints may be called as they are. All keys of its organisation share it. */
export interface PassthroughPlan {
  readonly entry: PassthroughProvider__Output;
  readonly rules: readonly PassthroughRule[];
}

const PRICES = ['callNanoUsd', 'requestMegabyteNanoUsd', 'responseMegabyteNanoUsd'] as const;

/** By the provider's name, and by its id unless another provider has that name. A RangeError names what is invalid. */
export function passthroughPlans(
  entries: readonly PassthroughProvider__Output[],
): ReadonlyMap<string, PassthroughPlan> {
  const plans = entries.map((entry): PassthroughPlan => {
    for (const rule of entry.rules) checkPrices(entry.providerId, rule);
    return { entry, rules: entry.rules };
  });
  return new Map([
    ...plans.map((plan) => [plan.entry.providerId, plan] as const),
    ...plans.map((plan) => [plan.entry.name, plan] as const),
  ]);
}

// Without a price nothing could be held, so the rule allows nothing.
function checkPrices(providerId: string, rule: PassthroughRule__Output): void {
  for (const name of PRICES) {
    if (/^\d{1,16}$/.test(rule[name])) continue;
    throw new RangeError(`provider ${providerId}: a passthrough rule has an invalid ${name}`);
  }
}

/** Undefined: there is no active provider of this name with rules, or the key may not call it. */
export function grantedPassthrough(plan: KeyPlan, provider: string): PassthroughPlan | undefined {
  const found = plan.organisation.passthrough.get(provider);
  return found && plan.passthroughProviderIds.has(found.entry.providerId) ? found : undefined;
}

/** Every limit that counts a passthrough request of this key: it is for no model and no MCP server. */
export function passthroughLimits({
  organisation,
  ownLimits,
  subject,
}: KeyPlan): readonly PlannedLimit[] {
  return [...organisation.limits, ...ownLimits].filter((limit) => limitApplies(limit, subject, {}));
}
