// Counts that upstreams report, which may be anything.

import { countOf } from './json';

/**
 * A count that may be left out, and is then `otherwise`. Undefined: something stands there that is no
 * count, so that none of the usage it belongs to can be believed.
 */
export function optionalCount(value: unknown, otherwise: number): number | undefined {
  return value === undefined || value === null ? otherwise : countOf(value);
}
