// The seals of this format's own providers.

import { present } from '../json';
import type { Seal, Sealer } from '../normalised';

export const SEALER: Sealer = 'anthropic-messages';

/** A seal from a provider of this format. */
export function ownSeal(wire: { signature?: string | undefined; redacted?: string }): Seal {
  const seal = present(wire);
  return Object.keys(seal).length > 0 ? { ...seal, sealedBy: SEALER } : {};
}
