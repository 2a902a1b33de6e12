// Caches parsed prices by their wire form. Decisions of one session share a price's object; of
// several sessions comparing two is cheaper than parsing one.

import { priceFromWire, TOKEN_CLASSES, type Price } from '@tollgate/contracts';
import type { Candidate__Output } from '@tollgate/contracts/node';

type Wire = NonNullable<Candidate__Output['price']>;

/** Limit of cached prices. The cache is cleared when it is full. */
const KNOWN_MOST = 1_024;

const known = new Map<string, { wire: Wire; price: Price }>();

/** @throws RangeError for an invalid price */
export function priceOf(wire: Wire): Price {
  const found = known.get(wire.priceId);
  if (found && (found.wire === wire || isSame(found.wire, wire))) return found.price;
  const price = priceFromWire(wire);
  if (known.size >= KNOWN_MOST) known.clear();
  known.set(wire.priceId, { wire, price });
  return price;
}

function isSame(a: Wire, b: Wire): boolean {
  return (
    a.perRequestNanoUsd === b.perRequestNanoUsd &&
    a.effectiveFromMs === b.effectiveFromMs &&
    a.steps.length === b.steps.length &&
    a.steps.every((step, at) => isSameStep(step, b.steps[at])) &&
    isSameMap(a.perUnitNanoUsd, b.perUnitNanoUsd) &&
    isSameMap(a.tierPercent, b.tierPercent)
  );
}

function isSameStep(a: Wire['steps'][number], b: Wire['steps'][number] | undefined): boolean {
  if (a.fromInputTokens !== b?.fromInputTokens) return false;
  for (const name of TOKEN_CLASSES) if (a[name] !== b[name]) return false;
  return true;
}

function isSameMap(a: Wire['perUnitNanoUsd'], b: Wire['perUnitNanoUsd']): boolean {
  let left = 0;
  for (const unit in a) {
    if (a[unit] !== b[unit]) return false;
    left += 1;
  }
  for (const _ in b) left -= 1;
  return left === 0;
}
