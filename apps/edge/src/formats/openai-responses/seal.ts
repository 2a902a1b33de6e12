// Sealed reasoning items. The vendor needs the item's id with its sealed content, so both travel
// through other formats as one seal.

import type { Seal, Sealer } from '../normalised';

export const SEALER: Sealer = 'openai-responses';

/** The seal of an item in other formats. */
export function itemSeal(id: string, encrypted: string): Seal {
  return { signature: `${id}\n${encrypted}`, sealedBy: SEALER };
}

export interface SealedItem {
  id: string;
  encrypted: string;
}

/** The item of a seal; undefined if another format made the seal. */
export function sealedItem({ signature, sealedBy }: Seal): SealedItem | undefined {
  if (signature === undefined || sealedBy !== SEALER) return undefined;
  const end = signature.indexOf('\n');
  return end === -1
    ? undefined
    : { id: signature.slice(0, end), encrypted: signature.slice(end + 1) };
}
