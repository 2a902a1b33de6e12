// Conversations, decoded and encoded. This format separates the system prompt, puts tool results in
// user turns, and has one message per turn.

import { writeCacheMark } from '../cache-marks';
import type { DropList } from '../drop-list';
import { addOtherFields } from '../json';
import type { ContentBlock, JsonObject, NormalisedMessage } from '../normalised';
import { isOwn } from '../seals';
import { EMPTY_TURN, systemTurnText } from '../turn-texts';
import { decodeContent, encodeBlocks, isBlank, plainly } from './blocks';
import type { Dialect } from './dialects';
import { SEALER } from './seal';
import type { TokenCountRequest } from './wire';

type Wire = Pick<TokenCountRequest, 'system' | 'messages'>;

const MESSAGE_FIELDS: ReadonlySet<string> = new Set(['role', 'content']);

export function decodeConversation(wire: Wire, extras: JsonObject): NormalisedMessage[] {
  const messages: NormalisedMessage[] = [];
  if (wire.system) {
    const content = decodeSystem(wire.system, extras);
    if (content.length > 0) messages.push({ role: 'system', path: 'system', content });
  }
  for (const [at, message] of wire.messages.entries()) {
    const path = `messages[${at}]`;
    const { role, content } = message;
    addOtherFields(message, MESSAGE_FIELDS, path, extras);
    messages.push({ role, path, content: decodeContent(content, path, extras) });
  }
  const last = wire.messages.length - 1;
  // The model continues a prefilled answer; in other formats it would start a new one.
  if (wire.messages[last]?.role === 'assistant') extras[`messages[${last}].prefill`] = true;
  return messages;
}

function decodeSystem(system: NonNullable<Wire['system']>, extras: JsonObject): ContentBlock[] {
  if (typeof system === 'string') return decodeContent(system, 'system', extras);
  // The path of a system block has no `content`, unlike that of a message block.
  const own: JsonObject = {};
  const content = decodeContent(system, '', own);
  for (const [path, value] of Object.entries(own)) {
    extras[path.replace('.content', 'system')] = value;
  }
  return content;
}

export interface EncodedConversation {
  system?: string | JsonObject[];
  messages: JsonObject[];
}

interface Turn {
  role: 'user' | 'assistant' | 'system';
  blocks: JsonObject[];
}

/** What the target accepts, apart from the format itself. */
export interface Listener {
  dialect: Dialect;
  /** Whether system messages may come between turns. */
  systemTurns: boolean;
}

export function encodeConversation(
  messages: readonly NormalisedMessage[],
  { dialect, systemTurns }: Listener,
  drops: DropList,
): EncodedConversation {
  const system: JsonObject[] = [];
  const turns: Turn[] = [];
  const say = (role: Turn['role'], blocks: JsonObject[]): void => {
    const last = turns.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else turns.push({ role, blocks });
  };
  for (const [at, { role, name, path = `messages[${at}]`, content }] of messages.entries()) {
    const dropAt = (kind: string): void => drops.drop(`${path}.${kind}`);
    if (name !== undefined) dropAt('name');
    if (!isInstruction(role)) {
      const speaker = role === 'assistant' ? 'assistant' : 'user';
      say(speaker, encodeBlocks(content, speaker, dialect, dropAt));
      continue;
    }
    const told = encodeSystem(content, dropAt);
    if (turns.length === 0) system.push(...told);
    else if (told.length === 0) continue;
    else if (systemTurns && mayInstruct(turns, messages.slice(at + 1))) say('system', told);
    else {
      dropAt('role');
      say('user', told.map(asUsers));
    }
  }
  // A conversation with only a system prompt becomes a user turn.
  if (turns.every(({ blocks }) => blocks.length === 0)) {
    return {
      messages: [{ role: 'user', content: plainly(system.length > 0 ? system : [NOTHING]) }],
    };
  }
  const said = turns.flatMap((turn) => {
    if (turn.blocks.length > 0) return [turn];
    // Without it the turns around it would merge.
    return turn.role === 'user' ? [{ ...turn, blocks: [NOTHING] }] : [];
  });
  return {
    ...(system.length > 0 ? { system: plainly(system) } : {}),
    messages: said.map((turn, at) => encodeTurn(turn, at === said.length - 1)),
  };
}

const NOTHING: JsonObject = { type: 'text', text: EMPTY_TURN };

function isInstruction(role: NormalisedMessage['role']): boolean {
  return role === 'system' || role === 'developer';
}

/** The vendor accepts instructions after a user turn, before the model's. */
function mayInstruct(turns: readonly Turn[], rest: readonly NormalisedMessage[]): boolean {
  const before = turns.findLast(({ role }) => role !== 'system');
  if (before?.role !== 'user' || before.blocks.length === 0) return false;
  const next = rest.find(({ role }) => !isInstruction(role));
  return next === undefined || next.role === 'assistant';
}

function asUsers(block: JsonObject): JsonObject {
  return { ...block, text: systemTurnText(String(block['text'])) };
}

function encodeSystem(content: ContentBlock[], dropAt: (kind: string) => void): JsonObject[] {
  return content.flatMap((block) => {
    if (block.type === 'text') {
      const { text } = block;
      return isBlank(text) ? [] : [{ type: 'text', text, ...writeCacheMark(block) }];
    }
    dropAt(block.type === 'other' ? block.kind : block.type);
    return [];
  });
}

/** Tool results must come first in their turn. */
function encodeTurn({ role, blocks }: Turn, isLast: boolean): JsonObject {
  if (role === 'assistant') return { role, content: plainly(isLast ? begun(blocks) : blocks) };
  const isResult = (block: JsonObject): boolean => block['type'] === 'tool_result';
  const results = blocks.filter(isResult);
  const rest = results.length > 0 ? blocks.filter((block) => !isResult(block)) : blocks;
  return { role, content: plainly([...results, ...rest]) };
}

/** A prefilled answer must not end in white space. */
function begun(blocks: JsonObject[]): JsonObject[] {
  const last = blocks.at(-1);
  if (last?.['type'] !== 'text') return blocks;
  return [...blocks.slice(0, -1), { ...last, text: String(last['text']).trimEnd() }];
}

/** Whether the model's last turn calls tools without the thinking that led to the calls. */
export function callsUnexplained(messages: readonly NormalisedMessage[]): boolean {
  const last = messages.findLast(({ role }) => role === 'assistant');
  if (last === undefined) return false;
  const calls = last.content.some(({ type }) => type === 'tool_call');
  const [first] = last.content;
  const sealed = first?.type === 'thinking' && (first.signature ?? first.redacted) !== undefined;
  return calls && !(sealed && isOwn(first, SEALER));
}
