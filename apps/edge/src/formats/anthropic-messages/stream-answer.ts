// What a streamed message has said so far, event by event.

import { tokensIn, type TokenUsage } from '@tollgate/contracts';

import { countOf, isObject, objectOf, present, textOf } from '../json';
import type { Citation, JsonObject, StreamEvent } from '../normalised';
import { invalidAnswer } from '../upstream-error';
import { parseInput } from './blocks';
import { decodeCitation } from './citations';
import { TERMINAL } from './events';
import { ownSeal } from './seal';
import { countCalls, seeBlock, type SeenCalls } from './server-tools';
import { decodeStopReason } from './stop-reason';
import { decodeServiceTier, decodeUsage, mergeUsage } from './usage';
import { decodeSearch, isSearchUse, searchIdOf } from './web-search';

/** The state of a block until it ends. */
type BlockState =
  | { type: 'text'; startIndex: number; citations: Citation[] }
  /** `input` is from the block's start; `said` tells whether deltas followed. */
  | { type: 'tool_use'; tool: number; input: string; said: boolean }
  | { type: 'thinking' }
  /** A web search, which becomes an event once its result is complete. */
  | { type: 'search'; id: string; input: string[] }
  | { type: 'unknown' };

/** Limits the state that one stream can create. */
const MAX_OPEN_BLOCKS = 1_024;

/** The hub's `choice`: the format has one. */
const choice = 0;

/** The state of one answer. */
export interface Answer {
  readonly blocks: Map<number, BlockState>;
  begun: boolean;
  tools: number;
  length: number;
  usage: JsonObject;
  readonly seen: SeenCalls;
  /** Queries of searches without a result so far, by id. */
  readonly searches: Map<string, string>;
  /** Output counts at the start are not final. */
  counted: boolean;
  ending: JsonObject;
}

export function createAnswer(): Answer {
  return {
    blocks: new Map(),
    begun: false,
    tools: 0,
    length: 0,
    usage: {},
    seen: { searches: 0, code: false },
    searches: new Map(),
    counted: false,
    ending: {},
  };
}

/** @throws GatewayError `upstream_error` for an invalid event */
export function takeWire(answer: Answer, wire: JsonObject, events: StreamEvent[]): void {
  const { type } = wire;
  if (type === 'message_start') return start(answer, wire, events);
  if (!answer.begun) {
    if (type === TERMINAL) throw invalidAnswer('it holds no message');
    return;
  }
  switch (type) {
    case 'content_block_delta':
      return takeDelta(answer, wire, events);
    case 'content_block_start':
      return startBlock(answer, wire, events);
    case 'content_block_stop':
      return stopBlock(answer, countOf(wire['index']) ?? -1, events);
    case 'message_delta':
      answer.ending = { ...answer.ending, ...objectOf(wire['delta']) };
      answer.usage = mergeUsage(answer.usage, wire['usage']);
      answer.counted ||= isObject(wire['usage']);
      return;
    case TERMINAL:
      return end(answer, events);
    default:
      // Pings, and future additions to the format.
      return;
  }
}

function start(answer: Answer, wire: JsonObject, events: StreamEvent[]): void {
  if (answer.begun) throw invalidAnswer('it begins twice');
  answer.begun = true;
  const message = objectOf(wire['message']) ?? {};
  answer.usage = mergeUsage({}, message['usage']);
  events.push({
    type: 'start',
    id: textOf(message['id']) ?? '',
    model: textOf(message['model']) ?? '',
    ...present({
      serviceTier: decodeServiceTier(answer.usage),
      inputUsage: inputUsage(answer.usage),
    }),
  });
}

function startBlock(answer: Answer, wire: JsonObject, events: StreamEvent[]): void {
  const index = countOf(wire['index']) ?? 0;
  const block = objectOf(wire['content_block']) ?? {};
  // A block that was left open ends here.
  stopBlock(answer, index, events);
  if (answer.blocks.size >= MAX_OPEN_BLOCKS) throw invalidAnswer('too many of its blocks are open');
  switch (block['type']) {
    case 'text':
      answer.blocks.set(index, { type: 'text', startIndex: answer.length, citations: [] });
      pushText(answer, textOf(block['text']), events);
      return;
    case 'thinking':
      answer.blocks.set(index, { type: 'thinking' });
      pushThinking(block, events);
      return;
    case 'redacted_thinking':
      answer.blocks.set(index, { type: 'unknown' });
      events.push({
        type: 'thinking',
        choice,
        ...ownSeal({ redacted: textOf(block['data']) ?? '' }),
      });
      return;
    case 'tool_use': {
      const name = textOf(block['name']);
      if (name === undefined) throw invalidAnswer('a tool call names no tool');
      const id = textOf(block['id']) ?? `call_${answer.tools}`;
      const input = JSON.stringify(block['input'] ?? {});
      answer.blocks.set(index, { type: 'tool_use', tool: answer.tools, input, said: false });
      events.push({ type: 'tool_start', choice, tool: answer.tools, kind: 'function', id, name });
      answer.tools += 1;
      return;
    }
    default:
      return startOther(answer, index, block, events);
  }
}

/** A block of a server tool. */
function startOther(answer: Answer, index: number, block: JsonObject, events: StreamEvent[]): void {
  const before = answer.seen.searches + Number(answer.seen.code);
  seeBlock(answer.seen, block);
  if (answer.seen.searches + Number(answer.seen.code) > before) {
    events.push({ type: 'units', units: countCalls({}, answer.seen) });
  }
  const id = searchIdOf(block);
  if (isSearchUse(block)) {
    answer.blocks.set(index, { type: 'search', id: textOf(block['id']) ?? '', input: [] });
    return;
  }
  answer.blocks.set(index, { type: 'unknown' });
  const input = id === undefined ? undefined : answer.searches.get(id);
  if (id === undefined || input === undefined) return;
  answer.searches.delete(id);
  events.push({ type: 'web_search', choice, search: decodeSearch(id, parseInput(input), block) });
}

function takeDelta(answer: Answer, wire: JsonObject, events: StreamEvent[]): void {
  const delta = objectOf(wire['delta']) ?? {};
  const block = answer.blocks.get(countOf(wire['index']) ?? 0);
  switch (delta['type']) {
    case 'text_delta':
      return pushText(answer, textOf(delta['text']), events);
    case 'thinking_delta':
    case 'signature_delta':
      return pushThinking(delta, events);
    case 'input_json_delta': {
      if (block?.type === 'unknown') return;
      if (block?.type === 'search') {
        block.input.push(textOf(delta['partial_json']) ?? '');
        return;
      }
      if (block?.type !== 'tool_use') throw invalidAnswer('it holds arguments of no tool call');
      const text = textOf(delta['partial_json']);
      if (text === undefined) return;
      block.said = true;
      events.push({ type: 'tool_delta', choice, tool: block.tool, arguments: text });
      return;
    }
    case 'citations_delta': {
      const citation = decodeCitation(delta['citation']);
      if (citation !== undefined && block?.type === 'text') block.citations.push(citation);
      return;
    }
    default:
      return;
  }
}

function stopBlock(answer: Answer, index: number, events: StreamEvent[]): void {
  const block = answer.blocks.get(index);
  answer.blocks.delete(index);
  if (block?.type === 'text') {
    const span = { startIndex: block.startIndex, endIndex: answer.length };
    for (const citation of block.citations) {
      events.push({ type: 'citation', choice, citation: { ...citation, ...span } });
    }
  } else if (block?.type === 'search' && answer.searches.size < MAX_OPEN_BLOCKS) {
    answer.searches.set(block.id, block.input.join(''));
  } else if (block?.type === 'tool_use' && !block.said) {
    // Other formats expect an empty object for a call without arguments.
    events.push({ type: 'tool_delta', choice, tool: block.tool, arguments: block.input });
  }
}

function pushText(answer: Answer, text: string | undefined, events: StreamEvent[]): void {
  if (text === undefined) return;
  answer.length += text.length;
  events.push({ type: 'text', choice, text });
}

function end(answer: Answer, events: StreamEvent[]): void {
  for (const index of answer.blocks.keys()) stopBlock(answer, index, events);
  const explanation = textOf(objectOf(answer.ending['stop_details'])?.['explanation']);
  if (explanation !== undefined) events.push({ type: 'refusal', choice, text: explanation });
  const rawReason = textOf(answer.ending['stop_reason']) ?? '';
  const reason = decodeStopReason(rawReason, answer.tools > 0);
  const stopSequence = textOf(answer.ending['stop_sequence']);
  events.push({ type: 'stop', choice, reason, rawReason, ...present({ stopSequence }) });
  const reported = answer.counted ? decodeUsage(answer.usage, answer.seen) : undefined;
  if (reported !== undefined) events.push({ type: 'usage', usage: reported });
  events.push({ type: 'end' });
}

function pushThinking(from: JsonObject, events: StreamEvent[]): void {
  const text = textOf(from['thinking']);
  const signature = textOf(from['signature']);
  if (text === undefined && signature === undefined) return;
  events.push({ type: 'thinking', choice, ...present({ text }), ...ownSeal({ signature }) });
}

/** The input count before any output. Some servers send zero at first. */
export function inputUsage(usage: JsonObject): TokenUsage | undefined {
  const tokens = decodeUsage(usage)?.tokens;
  return tokens && tokensIn(tokens) > 0 ? { ...tokens, output: 0, reasoning: 0 } : undefined;
}
