// Sealed items of reasoning. The vendor needs the item's id with what it sealed, so that both travel
// through other formats as one seal.

import type { Seal, Sealer } from '../normalised';

export const SEALER: Sealer = 'openai-responses';

/** The seal that an item bears elsewhere. */
export function itemSeal(id: string, encrypted: string): Seal {
  return { signature: `${id}\n${encrypted}`, sealedBy: SEALER };
}

export interface SealedItem {
  id: string;
  encrypted: string;
}

/** The item that a seal stands for; undefined when another format wrote it. */
export function sealedItem({ signature, sealedBy }: Seal): SealedItem | undefined {
  if (signature === undefined || sealedBy !== SEALER) return undefined;
  const end = signature.indexOf('\n');
  return end === -1
    ? undefined
    : { id: signature.slice(0, end), encrypted: signature.slice(end + 1) };
}
