// Validates counts that upstreams report.

import { countOf } from './json';

/**
 * An optional count, `otherwise` if absent. Undefined: the value is not a count, so the whole usage
 * object is unreliable.
 */
export function optionalCount(value: unknown, otherwise: number): number | undefined {
  return value === undefined || value === null ? otherwise : countOf(value);
}
