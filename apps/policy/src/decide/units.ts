import { pricedUnit } from '@tollgate/contracts';
import type { AuthorizeRequest__Output } from '@tollgate/contracts/node';

import type { PlannedPrice } from '../directory';

// Billable units beside tokens, such as images and seconds of audio, as they are held.

/** Undefined: none, which is the usual case. */
export type HeldUnits = Readonly<Record<string, number>> | undefined;

export function unitsOf({ unitsEstimate }: AuthorizeRequest__Output): HeldUnits {
  for (const _ in unitsEstimate) return unitsEstimate;
  return undefined;
}

/** The unit `image` is one whose size or quality the request leaves open: it may be the dearest. */
export function withDearestImage(units: HeldUnits, price: PlannedPrice | undefined): HeldUnits {
  if (units?.['image'] === undefined || price === undefined) return units;
  const { image, ...others } = units;
  return withUnits(others, { [pricedUnit(price.price, 'image') ?? 'image']: image });
}

// Copies only where tools add units: this runs for every request.
export function withUnits(known: HeldUnits, ofTools: Readonly<Record<string, number>>): HeldUnits {
  let sum = known;
  for (const [unit, count] of Object.entries(ofTools)) {
    sum = { ...sum, [unit]: (sum?.[unit] ?? 0) + count };
  }
  return sum;
}
