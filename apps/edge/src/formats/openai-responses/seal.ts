// Seals on reasoning: text that only its writer can read, and that must come back to it as it was.
// The vendor's own seals a reasoning item and needs the item's id with it, so that both travel
// through other formats as one signature. Seals of other vendors travel through this format marked,
// so that they go back to those who wrote them and to nobody else.

import type { ThinkingBlock } from '../normalised';

/** What begins a signature that stands for an item of this format; all of it is base64. */
const ITEM = 'rsid';

/** The signature that stands for a sealed item elsewhere. */
export function sealOf(id: string, encrypted: string): string {
  const packed = Buffer.from(`${id}\n${encrypted}`).toString('base64');
  return `${ITEM}${packed}`;
}

export interface SealedItem {
  id: string;
  encrypted: string;
}

/** The sealed item that a signature stands for; undefined when another format wrote it. */
export function sealedItem(signature: string | undefined): SealedItem | undefined {
  if (signature === undefined || !signature.startsWith(ITEM)) return undefined;
  const text = Buffer.from(signature.slice(ITEM.length), 'base64').toString('utf8');
  const end = text.indexOf('\n');
  return end === -1 ? undefined : { id: text.slice(0, end), encrypted: text.slice(end + 1) };
}

export type Seal = Pick<ThinkingBlock, 'signature' | 'redacted'>;

const SIGNATURE = 'tollgate-signature:';
const REDACTED = 'tollgate-redacted:';

/** A foreign seal as the `encrypted_content` of an item. */
export function encodeForeignSeal({ signature, redacted }: Seal): string | undefined {
  if (redacted !== undefined) return `${REDACTED}${redacted}`;
  return signature === undefined ? undefined : `${SIGNATURE}${signature}`;
}

/** The foreign seal within `encrypted_content`; undefined when it is the vendor's own. */
export function decodeForeignSeal(encrypted: string): Seal | undefined {
  if (encrypted.startsWith(REDACTED)) return { redacted: encrypted.slice(REDACTED.length) };
  if (encrypted.startsWith(SIGNATURE)) return { signature: encrypted.slice(SIGNATURE.length) };
  return undefined;
}
