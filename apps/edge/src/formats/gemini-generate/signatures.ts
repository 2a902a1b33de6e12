// The seals on a model's reasoning. Here they stand on parts of any kind: on the call of a function
// that the reasoning led to, on text, on a thought. In the hub a seal is a thinking block: one without
// text before a call belongs to the call, one after text to the text.

import { present } from '../json';
import type {
  ContentBlock,
  JsonObject,
  Seal,
  Sealer,
  SealPlace,
  ThinkingBlock,
} from '../normalised';
import { isOwn, readMark, sealOf, writeSeal } from '../seals';
import { standardBase64 } from './media';

const SEALER: Sealer = 'gemini-generate';

/** Reads a seal; some SDKs hand it back in the alphabet for URLs. */
export function decodeSeal(seal: string): Seal {
  return readMark(seal) ?? { signature: standardBase64(seal), sealedBy: SEALER };
}

/** Whether the vendor can have made a seal. */
export function isOwnSeal(seal: Seal): boolean {
  return isOwn(seal, SEALER);
}

/** `sealOn` says what a seal of the vendor's own stands on. */
export function sealBlock(seal: string, sealOn?: SealPlace): ThinkingBlock {
  const decoded = decodeSeal(seal);
  const place = isOwnSeal(decoded) ? present({ sealOn }) : {};
  return { type: 'thinking', text: '', ...decoded, ...place };
}

/** A thought on its way to a client, who hands it back as it is. */
export function encodeThought(thought: Omit<ThinkingBlock, 'type'>) {
  const thoughtSignature = writeSeal(thought, SEALER);
  return { text: thought.text, thought: true, ...present({ thoughtSignature }) };
}

/** A function call that the vendor is asked to take without the seal it never had. */
export const UNSEALED = 'skip_thought_signature_validator';

export interface SealPlacer {
  /** Takes the seal of a thinking block; `before` is the part that it stands on or after. */
  hold(block: ThinkingBlock, before: JsonObject | undefined): void;
  /**
   * A call of a function takes the seal that was made for it, or else the nearest before it, even
   * one that stands on a thought.
   */
  sealCall(part: JsonObject, id: string): void;
  /** What no call took goes where it stood. */
  finish(parts: JsonObject[]): void;
}

interface HeldSeal {
  seal: string;
  home: JsonObject | undefined;
  on: SealPlace | undefined;
}

/**
 * Puts the seals of a replayed turn on its parts. Formats between here and there may have moved them,
 * but the vendor insists on them only at the first call of a turn.
 */
export function createSealPlacer(
  content: readonly ContentBlock[],
  signedCalls: boolean,
): SealPlacer {
  const places = new Set<SealPlace>(['text']);
  for (const block of content) if (block.type === 'tool_call') places.add(`call:${block.id}`);
  let held: HeldSeal[] = [];
  let calls = 0;

  /** Whether a seal belongs to no part in particular. */
  function isFree(on: SealPlace | undefined): boolean {
    return on === undefined || !places.has(on);
  }

  return {
    hold(block, before) {
      const { signature, sealOn: on } = block;
      if (signature === undefined || !isOwnSeal(block)) return;
      const home = on !== 'text' && isText(before) ? before : undefined;
      held.push({ seal: signature, home, on });
    },
    sealCall(part, id) {
      calls += 1;
      const found =
        held.find(({ on }) => on === `call:${id}`) ?? held.findLast(({ on }) => isFree(on));
      held = held.filter((seal) => seal !== found);
      if (found !== undefined) part['thoughtSignature'] = found.seal;
      else if (signedCalls && calls === 1) part['thoughtSignature'] = UNSEALED;
    },
    finish(parts) {
      for (const { seal, home, on } of held) {
        const own = home ?? parts.findLast(on === 'text' ? isSpoken : isText);
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

/** Text of the answer. */
function isSpoken(part: JsonObject | undefined): boolean {
  return isText(part) && part?.['thought'] !== true;
}

/** Joins what a model said in pieces: its text, and its thoughts up to their seal. */
export function joinPieces(blocks: readonly ContentBlock[]): ContentBlock[] {
  const joined: ContentBlock[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    if (block.type === 'text' && last?.type === 'text') last.text += block.text;
    else if (block.type === 'thinking' && last?.type === 'thinking' && isOpen(last, block)) {
      Object.assign(last, sealOf(block), { text: last.text + block.text });
    } else joined.push({ ...block });
  }
  return joined;
}

function isOpen(last: ThinkingBlock, next: ThinkingBlock): boolean {
  return (last.signature ?? last.redacted ?? next.redacted) === undefined;
}
