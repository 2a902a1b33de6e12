// Seals on reasoning as clients get them. A seal is of use to its writer alone, and refused by all
// others, but looks like any other. So where a client could take it for one of the provider whose
// format it speaks, it is marked with who wrote it, and found by the mark when it comes back.

import { present } from './json';
import type { Seal, Sealer, SealPlace } from './content';

/**
 * A mark and what follows are base64 together, since some SDKs take seals for bytes and write them
 * anew. Nothing in it changes from one time to the next.
 */
const MARK = 'tollgate';
const CODES: Readonly<Record<Sealer, string>> = {
  'anthropic-messages': 'mess',
  'gemini-generate': 'gene',
  'openai-chat': 'chat',
  'openai-responses': 'resp',
};
const SIGNATURE = 'sign';
const REDACTED = 'hide';

const MARKED = new RegExp(`^${MARK}(${Object.values(CODES).join('|')})(${SIGNATURE}|${REDACTED})`);

/**
 * Writes a seal for a client, to whom seals without a mark are those of `home`. Undefined: there is
 * none.
 */
export function writeSeal(seal: Seal, home: Sealer): string | undefined {
  const { signature, redacted, sealedBy = redacted === undefined ? home : REDACTS, sealOn } = seal;
  const text = redacted ?? signature;
  if (text === undefined || sealedBy === home) return text;
  const kind = redacted === undefined ? SIGNATURE : REDACTED;
  const packed = Buffer.from(`${sealOn ?? ''}\n${text}`).toString('base64');
  return `${MARK}${CODES[sealedBy]}${kind}${packed}`;
}

/** The one format that has reasoning which only the provider can read. */
const REDACTS: Sealer = 'anthropic-messages';

/** Reads a seal that a client hands back; `kind` is what it is where it bears no mark. */
export function readSeal(
  text: string,
  home: Sealer,
  kind: 'signature' | 'redacted' = 'signature',
): Seal {
  return readMark(text) ?? { [kind]: text, sealedBy: home };
}

/** The seal behind a mark; undefined: it bears none. */
export function readMark(text: string): Seal | undefined {
  if (!text.startsWith(MARK)) return undefined;
  const [mark, code, kind] = MARKED.exec(text) ?? [];
  const sealedBy = SEALERS.find((sealer) => CODES[sealer] === code);
  if (mark === undefined || sealedBy === undefined) return undefined;
  const packed = Buffer.from(text.slice(mark.length), 'base64').toString('utf8');
  const end = packed.indexOf('\n');
  if (end === -1) return undefined;
  const sealed = packed.slice(end + 1);
  return {
    ...(kind === REDACTED ? { redacted: sealed } : { signature: sealed }),
    sealedBy,
    ...present({ sealOn: placeOf(packed.slice(0, end)) }),
  };
}

const SEALERS = Object.keys(CODES) as Sealer[];

function placeOf(text: string): SealPlace | undefined {
  if (text === 'text') return text;
  return text.startsWith('call:') ? `call:${text.slice('call:'.length)}` : undefined;
}

/** Whether text that a client hands back as a seal is marked as another's. */
export function isForeignMark(text: unknown): boolean {
  return typeof text === 'string' && readMark(text) !== undefined;
}

/** The part of reasoning that is its seal. */
export function sealOf({ signature, redacted, sealedBy, sealOn }: Seal): Seal {
  return present({ signature, redacted, sealedBy, sealOn });
}

/** Whether a seal may go back to a provider of a format: its own, or one that nobody knows better. */
export function isOwn({ sealedBy }: Seal, format: Sealer): boolean {
  return sealedBy === undefined || sealedBy === format;
}
