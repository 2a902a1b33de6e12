// Reasoning in the chat format, which has no standard field for it. Servers send it as
// `reasoning_content`; sealed reasoning is also a `thinking_block`, as common gateways of this
// format write it. Clients join both from a stream in different ways and send them back.

import { arrayOf, isObject, present, textOf } from '../json';
import type {
  ContentBlock,
  JsonObject,
  Seal,
  Sealer,
  SealPlace,
  ThinkingBlock,
} from '../normalised';
import { isForeignMark, isOwn, readSeal, sealOf, writeSeal } from '../seals';

/** The sealer of a client's unmarked seals: the blocks come from that format. */
const HOME: Sealer = 'anthropic-messages';
/** The sealer of an unknown server's seals: they can only go back to such a server. */
const SERVER: Sealer = 'openai-chat';

type WireBlock = Readonly<Record<string, unknown>>;

/** Decodes the reasoning of a server's answer. */
export function decodeThinking(blocks: unknown, text: string | undefined): ThinkingBlock[] {
  const wire = arrayOf(blocks).filter(isBlock);
  if (wire.length === 0) return text === undefined ? [] : [{ type: 'thinking', text }];
  return wire.map((block) => ({
    type: 'thinking',
    text: textOf(block['thinking']) ?? '',
    ...serverSeal(block),
  }));
}

function isBlock(value: unknown): value is JsonObject {
  return isObject(value) && typeof value['type'] === 'string';
}

/** The seal of a server's block, or of a piece of one. */
export function serverSeal(block: WireBlock): Seal {
  const seal = present({ signature: textOf(block['signature']), redacted: textOf(block['data']) });
  return Object.keys(seal).length > 0 ? { ...seal, sealedBy: SERVER } : {};
}

/** Encodes a block for a client. */
export function encodeThinking(block: Omit<ThinkingBlock, 'type'>): JsonObject {
  const seal = writeSeal(block, HOME);
  if (block.redacted !== undefined) return { type: 'redacted_thinking', data: seal };
  return { type: 'thinking', thinking: block.text, ...present({ signature: seal }) };
}

/** Decodes a seal that a client sends back. */
export function clientSeal(text: string, kind: 'signature' | 'redacted' = 'signature'): Seal {
  return readSeal(text, HOME, kind);
}

/**
 * Decodes reasoning that a client sends back. Blocks replace the plain text, which repeats them; a
 * seal-only block takes the plain text.
 */
export function decodeReplayedThinking(
  wire: readonly WireBlock[],
  reasoning: string | null | undefined,
): ThinkingBlock[] {
  const blocks: ThinkingBlock[] = [];
  for (const value of wire) {
    const block = decodeReplayedBlock(value);
    const last = blocks.at(-1);
    // Streamed pieces form one block up to its seal.
    const open = last && block.redacted === undefined && (last.signature ?? last.redacted);
    if (last !== undefined && block.redacted === undefined && open === undefined) {
      Object.assign(last, sealOf(block), { text: last.text + block.text });
    } else blocks.push(block);
  }
  if (!reasoning || blocks.some(({ text }) => text !== '')) return blocks;
  const sealed = blocks.find((block) => block.signature !== undefined && !block.sealOn);
  if (sealed === undefined) return [{ type: 'thinking', text: reasoning }, ...blocks];
  sealed.text = reasoning;
  return blocks;
}

function decodeReplayedBlock({ thinking, signature, data }: WireBlock): ThinkingBlock {
  const text = textOf(thinking) ?? '';
  const redacted = textOf(data);
  if (redacted !== undefined)
    return { type: 'thinking', text, ...clientSeal(redacted, 'redacted') };
  const seal = textOf(signature);
  return { type: 'thinking', text, ...(seal === undefined ? {} : clientSeal(seal)) };
}

/**
 * Restores the positions of seals: blocks of this format do not record their place among text and
 * calls.
 */
export function placeSeals(content: readonly ContentBlock[]): ContentBlock[] {
  const moved = content.filter((block) => block.type === 'thinking');
  if (!moved.some(({ sealOn }) => sealOn !== undefined)) return [...content];
  const placed = content.flatMap((block): ContentBlock[] => {
    if (block.type !== 'thinking' || block.sealOn === undefined) return [block];
    return block.text === '' ? [] : [{ type: 'thinking', text: block.text }];
  });
  for (const block of moved) {
    if (block.sealOn === undefined) continue;
    placed.splice(placeOf(placed, block.sealOn), 0, { ...block, text: '' });
  }
  return placed;
}

/** Before its call, or after the text. */
function placeOf(content: readonly ContentBlock[], sealOn: SealPlace): number {
  if (sealOn === 'text') return content.findLastIndex(({ type }) => type === 'text') + 1;
  const own = content.findIndex(
    (block) => block.type === 'tool_call' && sealOn === `call:${block.id}`,
  );
  const at = own === -1 ? content.findIndex(({ type }) => type === 'tool_call') : own;
  return at === -1 ? content.length : at;
}

/** Encodes the model's own reasoning for a server that takes it back. */
export function encodeReplayedThinking(
  blocks: readonly ThinkingBlock[],
  dropAt: (kind: string) => void,
): JsonObject {
  const sealed: JsonObject[] = [];
  let reasoning = '';
  for (const block of blocks) {
    const { text: thinking, signature, redacted } = block;
    const own = block.sealedBy !== undefined && isOwn(block, SERVER);
    if (redacted !== undefined && !own) {
      dropAt('thinking');
      continue;
    }
    reasoning += thinking;
    if (own && redacted !== undefined) sealed.push({ type: 'redacted_thinking', data: redacted });
    else if (own) sealed.push({ type: 'thinking', thinking, ...present({ signature }) });
    else if (signature !== undefined) dropAt('thinking.signature');
  }
  return {
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(sealed.length > 0 ? { thinking_blocks: sealed } : {}),
  };
}

/** Whether a block from a client was sealed by a provider of another format. */
export function isForeignBlock(block: unknown): boolean {
  return isObject(block) && (isForeignMark(block['signature']) || isForeignMark(block['data']));
}
