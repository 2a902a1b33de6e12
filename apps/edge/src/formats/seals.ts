// The client's form of seals on reasoning. Only the sealing provider accepts a seal, but all seals
// look the same. If a client could mistake a seal for one of the provider whose format it uses, the
// seal gets a mark with its sealer, and the mark identifies it when it comes back.

import type { Seal, Sealer, SealPlace } from './content';
import { present } from './json';

/**
 * A mark and the seal are base64 together, because some SDKs decode seals to bytes and encode them
 * again. The text is the same every time.
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
 * Encodes a seal for a client; unmarked seals belong to `home`. Undefined: there is no seal.
 */
export function writeSeal(seal: Seal, home: Sealer): string | undefined {
  const { signature, redacted, sealedBy = redacted === undefined ? home : REDACTS, sealOn } = seal;
  const text = redacted ?? signature;
  if (text === undefined || sealedBy === home) return text;
  const kind = redacted === undefined ? SIGNATURE : REDACTED;
  const packed = Buffer.from(`${sealOn ?? ''}\n${text}`).toString('base64');
  return `${MARK}${CODES[sealedBy]}${kind}${packed}`;
}

/** The only format with reasoning that only the provider can read. */
const REDACTS: Sealer = 'anthropic-messages';

/** Decodes a seal from a client; `kind` is that of an unmarked seal. */
export function readSeal(
  text: string,
  home: Sealer,
  kind: 'signature' | 'redacted' = 'signature',
): Seal {
  return readMark(text) ?? { [kind]: text, sealedBy: home };
}

/** The marked seal; undefined: it has no mark. */
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

/** Whether a seal from a client is marked as another provider's. */
export function isForeignMark(text: unknown): boolean {
  return typeof text === 'string' && readMark(text) !== undefined;
}

/** The seal fields of reasoning. */
export function sealOf({ signature, redacted, sealedBy, sealOn }: Seal): Seal {
  return present({ signature, redacted, sealedBy, sealOn });
}

/** Whether a provider of a format can take a seal: its own, or one of an unknown sealer. */
export function isOwn({ sealedBy }: Seal, format: Sealer): boolean {
  return sealedBy === undefined || sealedBy === format;
}
