import type { AuthorizeRequest__Output } from '@tollgate/contracts/node';

import { attributionOf, valueLimitsOf } from '../decide';
import type { KeyPlan } from '../directory';
import type { Question } from './ask';
import type { Decider } from './decide-request';
import type { Offered } from './offer';
import { takeHold } from './take-hold';

/** Takes the hold of a request whose model is known. `undefined`: as in takeHold. */
export async function hold<R>(
  decider: Decider<R>,
  request: AuthorizeRequest__Output,
  plan: KeyPlan,
  offered: Offered,
  asked: Question,
): Promise<R | undefined> {
  const attributed = attributionOf(plan, request.claimed);
  const refused = 'refusal' in attributed;
  if (request.claimed !== null) decider.note?.('tags', !refused);
  if (refused) return decider.answers.refused(attributed.refusal, plan);
  const { counts } = attributed;
  const valued = valueLimitsOf(plan, request, counts);
  if (plan.valueLimits.length > 0) decider.note?.('values', !('refusal' in valued));
  if ('refusal' in valued) return decider.answers.refused(valued.refusal, plan);
  const held = { request, plan, attribution: counts, onValues: valued.limits };
  return await takeHold(decider, held, offered, asked);
}
