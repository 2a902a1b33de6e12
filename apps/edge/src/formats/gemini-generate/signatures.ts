// The seals on a model's reasoning. Here they stand on parts of any kind: on the call of a function
// that the reasoning led to, on text, on a thought. In the hub a seal is a thinking block: one without
// text before a call belongs to the call, one after text to the text.

import type { ContentBlock, JsonObject, ThinkingBlock } from '../normalised';
import { standardBase64 } from './media';

/**
 * Reasoning that only another provider can read has no place of its own here. It travels as a seal,
 * behind a mark that survives as base64, since SDKs take seals for bytes.
 */
const REDACTED = 'redacted';
/** Tokens of a kind that is written in the alphabet for URLs to begin with. */
const URL_SAFE_SEAL = 'gAAAA';

/** Reads a seal; some SDKs hand it back in the alphabet for URLs. */
export function decodeSeal(seal: string): Pick<ThinkingBlock, 'signature' | 'redacted'> {
  if (seal.startsWith(URL_SAFE_SEAL)) return { signature: seal };
  if (!seal.startsWith(REDACTED)) return { signature: standardBase64(seal) };
  return { redacted: standardBase64(seal.slice(REDACTED.length)) };
}

export function sealBlock(seal: string): ThinkingBlock {
  return { type: 'thinking', text: '', ...decodeSeal(seal) };
}

/** A thought on its way to a client, who hands it back as it is. */
export function encodeThought({ text, signature, redacted }: Omit<ThinkingBlock, 'type'>) {
  const seal = redacted === undefined ? signature : `${REDACTED}${redacted}`;
  return { text, thought: true, ...(seal === undefined ? {} : { thoughtSignature: seal }) };
}

/** A function call that the vendor is asked to take without the seal it never had. */
const UNSEALED = 'skip_thought_signature_validator';

export interface SealPlacer {
  /** Takes the seal of a thinking block; `before` is the part that it stands on or after. */
  hold(block: ThinkingBlock, before: JsonObject | undefined): void;
  /** A call of a function takes the seal nearest before it, even one that stands on a thought. */
  sealCall(part: JsonObject): void;
  /** What no call took goes where it stood. */
  finish(parts: JsonObject[]): void;
}

interface HeldSeal {
  seal: string;
  home: JsonObject | undefined;
}

/**
 * Puts the seals of a replayed turn on its parts. Formats between here and there may have moved them,
 * but the vendor insists on them only at the first call of a turn.
 */
export function createSealPlacer(signedCalls: boolean): SealPlacer {
  let held: HeldSeal[] = [];
  let calls = 0;

  return {
    hold({ signature }, before) {
      if (signature === undefined) return;
      held.push({ seal: signature, home: isText(before) ? before : undefined });
    },
    sealCall(part) {
      calls += 1;
      const found = held.pop();
      if (found !== undefined) part['thoughtSignature'] = found.seal;
      else if (signedCalls && calls === 1) part['thoughtSignature'] = UNSEALED;
    },
    finish(parts) {
      for (const { seal, home } of held) {
        const own = home ?? parts.findLast(isText);
        if (own !== undefined && own['thoughtSignature'] === undefined) {
          own['thoughtSignature'] = seal;
        } else parts.push({ text: '', thoughtSignature: seal });
      }
      held = [];
    },
  };
}

function isText(part: JsonObject | undefined): boolean {
  return typeof part?.['text'] === 'string';
}

/** Joins what a model said in pieces: its text, and its thoughts up to their seal. */
export function joinPieces(blocks: readonly ContentBlock[]): ContentBlock[] {
  const joined: ContentBlock[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    if (block.type === 'text' && last?.type === 'text') last.text += block.text;
    else if (block.type === 'thinking' && last?.type === 'thinking' && isOpen(last, block)) {
      last.text += block.text;
      if (block.signature !== undefined) last.signature = block.signature;
    } else joined.push({ ...block });
  }
  return joined;
}

function isOpen(last: ThinkingBlock, next: ThinkingBlock): boolean {
  return (last.signature ?? last.redacted ?? next.redacted) === undefined;
}
