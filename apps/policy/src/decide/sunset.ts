import type { Retirement } from '@tollgate/contracts/node';

import { isPastSunset, type KeyPlan, type ModelPlan } from '../directory';
import type { Ask, Passed, Refusal } from './ask';

/** The refusal of a name that is past its sunset and has no replacement in force. */
export function pastSunset(what: 'model' | 'alias', retirement: Retirement): Refusal {
  const { name = '', replacement = '', sunsetAtMs = 0, url = '' } = retirement;
  const sunsetAt = new Date(Number(sunsetAtMs)).toISOString();
  const instead = replacement === '' ? '' : ` Use "${replacement}" instead.`;
  const more = url === '' ? '' : ` See ${url}.`;
  return {
    code: 'model_not_found',
    message: `The ${what} "${name}" was retired on ${sunsetAt.slice(0, 10)} and is no longer served.${instead}${more}`,
    details: {
      model: name,
      reason: 'sunset',
      sunsetAt,
      ...(replacement === '' ? {} : { replacement }),
    },
    retirement,
  };
}

/** A model that is past its sunset and that nothing replaces serves no new request. */
export function notPastSunset(
  { nowMs, named }: Ask,
  _plan: KeyPlan,
  { retirement }: ModelPlan,
): Refusal | Passed {
  if (retirement === undefined || !isPastSunset(retirement, nowMs)) return undefined;
  const refusal = pastSunset('model', retirement.announced);
  // The end of an alias's target is not that of the alias.
  return named === undefined ? refusal : { ...refusal, retirement: named.retirement };
}
