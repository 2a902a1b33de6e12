// Conversations, encoded: contents with parts, and a separate system instruction.

import type { DropList } from '../drop-list';
import { objectOf } from '../json';
import type { ContentBlock, JsonObject, NormalisedMessage, ToolResultBlock } from '../normalised';
import { attachedText, EMPTY_TURN, systemTurnText } from '../turn-texts';
import type { Generation } from './dialects';
import { encodeResult, replayCall } from './function-calls';
import { encodeAudio, encodeFile, encodeImage } from './media';
import { createSealPlacer, isOwnSeal } from './signatures';

export interface EncodedConversation {
  systemInstruction?: JsonObject;
  contents: JsonObject[];
}

interface Turn {
  kind: 'user' | 'model' | 'results';
  parts: JsonObject[];
}

/** What the model accepts, and the resolution requested for all images. */
export type Listener = Generation & { detail?: string | undefined };

export function encodeConversation(
  messages: readonly NormalisedMessage[],
  listener: Listener,
  drops: DropList,
): EncodedConversation {
  const system: JsonObject[] = [];
  const turns = createTurns();
  const names = new Map<string, string>();
  for (const [at, { role, name, path = `messages[${at}]`, content }] of messages.entries()) {
    const dropAt = (kind: string): void => drops.drop(`${path}.${kind}`);
    if (name !== undefined) dropAt('name');
    if (role === 'system' || role === 'developer') {
      const told = encodeSystem(content, dropAt);
      if (!turns.begun()) system.push(...told);
      else if (told.length > 0) {
        dropAt('role');
        turns.instruct(told.map(({ text }) => ({ text: systemTurnText(String(text)) })));
      }
      continue;
    }
    const parts =
      role === 'assistant'
        ? encodeModelParts(content, listener, names, dropAt)
        : content.flatMap((block) => encodeUserBlock(block, listener, names, dropAt));
    turns.say(role === 'assistant' ? 'model' : role === 'tool' ? 'results' : 'user', parts);
  }
  const said = turns.all();
  // A conversation with only a system prompt becomes a user turn.
  if (said.length === 0) {
    return { contents: [{ role: 'user', parts: system.length > 0 ? system : [NOTHING] }] };
  }
  return {
    ...(system.length > 0 ? { systemInstruction: { parts: system } } : {}),
    contents: said.map(({ kind, parts }) => ({
      role: kind === 'model' ? 'model' : 'user',
      parts: resultsFirst(parts),
    })),
  };
}

const NOTHING: JsonObject = { text: EMPTY_TURN };

function isResult(part: JsonObject): boolean {
  return part['functionResponse'] !== undefined;
}

/** Attachments follow all results of their turn, because each result answers one call. */
function resultsFirst(parts: JsonObject[]): JsonObject[] {
  const results = parts.filter(isResult);
  if (results.length === 0) return parts;
  return [...results, ...parts.filter((part) => !isResult(part))];
}

/** The turns so far. Nothing may come between calls and their results. */
function createTurns() {
  const turns: Turn[] = [];
  let begun = false;
  let instructions: JsonObject[] = [];

  function flush(): void {
    if (instructions.length > 0) turns.push({ kind: 'user', parts: instructions });
    instructions = [];
  }

  return {
    begun: () => begun,
    instruct(parts: JsonObject[]): void {
      instructions.push(...parts);
    },
    say(kind: Turn['kind'], parts: JsonObject[]): void {
      begun = true;
      if (parts.length === 0 && kind !== 'user') return;
      if (!parts.some(isResult)) flush();
      const last = turns.at(-1);
      // Results of parallel calls share a turn, like the calls.
      if (kind === 'results' && last?.kind === 'results') last.parts.push(...parts);
      else turns.push({ kind, parts });
    },
    /** An empty user turn keeps the turns around it apart. */
    all(): Turn[] {
      flush();
      if (turns.every(({ parts }) => parts.length === 0)) return [];
      return turns.map((turn) => (turn.parts.length > 0 ? turn : { ...turn, parts: [NOTHING] }));
    },
  };
}

type DropAt = (kind: string) => void;

function kindOf(block: ContentBlock): string {
  return block.type === 'other' ? block.kind : block.type;
}

function encodeSystem(content: ContentBlock[], dropAt: DropAt): JsonObject[] {
  return content.flatMap((block) => {
    if (block.type === 'text') return block.text === '' ? [] : [{ text: block.text }];
    dropAt(kindOf(block));
    return [];
  });
}

function encodeModelParts(
  content: ContentBlock[],
  listener: Listener,
  names: Map<string, string>,
  dropAt: DropAt,
): JsonObject[] {
  const parts: JsonObject[] = [];
  const seals = createSealPlacer(content, listener.signedCalls);
  for (const block of content) {
    if (block.type === 'thinking') {
      if (block.redacted !== undefined) dropAt('thinking');
      else if (block.signature !== undefined && !isOwnSeal(block)) dropAt('thinking.signature');
      const part = block.text === '' ? undefined : { text: block.text, thought: true };
      if (part !== undefined) parts.push(part);
      seals.hold(block, parts.at(-1));
    } else if (block.type === 'tool_call') {
      names.set(block.id, block.name);
      const part = replayCall(block);
      seals.sealCall(part, block.id);
      parts.push(part);
    } else {
      const part = encodeMedia(block, listener, dropAt);
      if (part !== undefined) parts.push(part);
    }
  }
  seals.finish(parts);
  return parts;
}

function encodeUserBlock(
  block: ContentBlock,
  listener: Listener,
  names: ReadonlyMap<string, string>,
  dropAt: DropAt,
): JsonObject[] {
  if (block.type === 'tool_result') return encodeToolResult(block, listener, names, dropAt);
  const part = encodeMedia(block, listener, dropAt);
  return part === undefined ? [] : [part];
}

/** Parts that any role may have. */
function encodeMedia(
  block: ContentBlock,
  { detail }: Listener,
  dropAt: DropAt,
): JsonObject | undefined {
  if (block.type === 'text' || block.type === 'refusal') {
    if (block.type === 'text' && block.citations) dropAt('text.citations');
    return block.text === '' ? undefined : { text: block.text };
  }
  let part: JsonObject | undefined;
  if (block.type === 'image') {
    part = encodeImage(block.url);
    const asked = block.detail ?? 'auto';
    if (asked !== 'auto' && asked !== detail) dropAt('image.detail');
  } else if (block.type === 'audio') part = encodeAudio(block);
  else if (block.type === 'file') {
    part = encodeFile(block);
    // The vendor's interface has no file name.
    if (part !== undefined && block.filename !== undefined) dropAt('file.filename');
  }
  if (part === undefined) dropAt(kindOf(block));
  return part;
}

function encodeToolResult(
  { toolCallId: id, content, isError = false }: ToolResultBlock,
  listener: Listener,
  names: ReadonlyMap<string, string>,
  dropAt: DropAt,
): JsonObject[] {
  const texts: string[] = [];
  const media: JsonObject[] = [];
  for (const block of content) {
    if (block.type === 'text') texts.push(block.text);
    else {
      const part = encodeMedia(block, listener, (kind) => dropAt(`tool_result.${kind}`));
      if (part !== undefined) media.push(part);
    }
  }
  const name = names.get(id) ?? id;
  const response = encodeResult({ text: texts.join('\n'), isError });
  const inside = media.filter((part) => listener.mediaResults && standsInResult(part));
  const attached = media.filter((part) => !inside.includes(part));
  const parts = inside.length > 0 ? { parts: inside } : {};
  const result = { functionResponse: { id, name, response, ...parts } };
  if (attached.length === 0) return [result];
  return [result, { text: attachedText(id, name) }, ...attached];
}

/**
 * Media types that newer models accept inside a result; other types and older models need a
 * separate part.
 */
const RESULT_MEDIA: ReadonlySet<unknown> = new Set([
  'application/pdf',
  'image/jpeg',
  'image/png',
  'image/webp',
  'text/plain',
]);

function standsInResult(part: JsonObject): boolean {
  return RESULT_MEDIA.has(objectOf(part['inlineData'])?.['mimeType']);
}
