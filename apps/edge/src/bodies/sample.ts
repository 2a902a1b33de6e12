import type { KeptBodies__Output } from '@tollgate/contracts/node';

/** Whether a request is in the share that its organisation keeps. */
export function isSampled(
  { random }: { readonly random: () => number },
  { percent }: KeptBodies__Output,
): boolean {
  return percent >= 100 || random() * 100 < percent;
}
