import type { rest } from '@tollgate/contracts';

import { showUsd } from '../../format/money';

/** "$1.20 by providers’ caches, −$0.10 by routing"; a negative amount is what it cost. */
export function savedWords({
  cacheSavedUsd,
  routingSavedUsd,
}: Pick<rest.UsageMeasures, 'cacheSavedUsd' | 'routingSavedUsd'>): string {
  return `${showUsd(cacheSavedUsd)} by providers’ caches, ${showUsd(routingSavedUsd)} by routing`;
}
