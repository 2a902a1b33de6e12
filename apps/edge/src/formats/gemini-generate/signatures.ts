// Seals on a model's reasoning. Here they are on parts of any kind: on a function call, on text, on
// a thought. In the hub a seal is a thinking block: one without text belongs to the call after it
// or the text before it.

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
import type { WirePart } from './wire';

const SEALER: Sealer = 'gemini-generate';

/** Decodes a seal; some SDKs send it back as URL-safe base64. */
export function decodeSeal(seal: string): Seal {
  return readMark(seal) ?? { signature: standardBase64(seal), sealedBy: SEALER };
}

/** Whether the vendor can have made a seal. */
export function isOwnSeal(seal: Seal): boolean {
  return isOwn(seal, SEALER);
}

/** `sealOn` is the part that one of the vendor's own seals is on. */
export function sealBlock(seal: string, sealOn?: SealPlace): ThinkingBlock {
  const decoded = decodeSeal(seal);
  const place = isOwnSeal(decoded) ? present({ sealOn }) : {};
  return { type: 'thinking', text: '', ...decoded, ...place };
}

/** A thought for a client, which sends it back unchanged. */
export function encodeThought(thought: Omit<ThinkingBlock, 'type'>) {
  const thoughtSignature = writeSeal(thought, SEALER);
  return { text: thought.text, thought: true, ...present({ thoughtSignature }) };
}

/** Asks the vendor to accept a function call without a seal. */
export const UNSEALED = 'skip_thought_signature_validator';

/** The vendor's documented words for a missing seal, as text and as some SDKs encode it. */
const STAND_INS: ReadonlySet<string> = new Set(
  [UNSEALED, 'context_engineering_is_the_way_to_go'].flatMap((word) => [
    word,
    Buffer.from(word).toString('base64'),
    Buffer.from(word).toString('base64url'),
  ]),
);

/** The seal of a part; undefined also for a stand-in, which means nothing to other vendors. */
export function sealIn(part: WirePart): string | undefined {
  const { thoughtSignature } = part;
  return thoughtSignature && !STAND_INS.has(thoughtSignature) ? thoughtSignature : undefined;
}

export interface SealPlacer {
  /** Takes the seal of a thinking block; `before` is the part that it is on or after. */
  hold(block: ThinkingBlock, before: JsonObject | undefined): void;
  /**
   * A function call takes its own seal, or else the nearest seal before it, even that of a thought.
   */
  sealCall(part: JsonObject, id: string): void;
  /** Seals that no call took go back to their positions. */
  finish(parts: JsonObject[]): void;
}

interface HeldSeal {
  seal: string;
  home: JsonObject | undefined;
  on: SealPlace | undefined;
}

/**
 * Places the seals of a replayed turn on its parts. Other formats may have moved them, and the
 * vendor requires them only on the first call of a turn.
 */
export function createSealPlacer(
  content: readonly ContentBlock[],
  signedCalls: boolean,
): SealPlacer {
  const places = new Set<SealPlace>(['text']);
  for (const block of content) if (block.type === 'tool_call') places.add(`call:${block.id}`);
  let held: HeldSeal[] = [];
  let calls = 0;

  /** Whether a seal belongs to no particular part. */
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

/** Joins the pieces of a streamed answer: its text, and its thoughts up to their seal. */
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
