import type { ScreeningRef__Output } from '@tollgate/contracts/node';

/** Equal for the same versions of the same policies. */
export function screeningKey(refs: readonly ScreeningRef__Output[]): string {
  return refs
    .map(({ policyId, version }) => `${policyId}:${version}`)
    .toSorted()
    .join();
}
