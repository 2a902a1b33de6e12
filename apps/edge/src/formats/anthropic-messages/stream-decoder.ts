// Decodes a streamed message. Each delta names its block; usage comes in parts, as running totals.

import { GatewayError, tokensIn, type TokenUsage } from '@tollgate/contracts';

import type { StreamDecoder } from '../format';
import { countOf, isObject, objectOf, present, textOf } from '../json';
import type { Citation, JsonObject, StreamEvent, StreamFault } from '../normalised';
import {
  createEventSplitter,
  MAX_EVENT_BYTES,
  parseEventObject,
  readEvent,
  type SseEvent,
} from '../sse';
import { earlyEnd, invalidAnswer } from '../upstream-error';
import { parseInput } from './blocks';
import { decodeCitation } from './citations';
import { streamedError } from './error';
import { dataIn, isErrorEvent, isTerminal, readNamedEvent, TERMINAL } from './events';
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

export function createStreamDecoder(): StreamDecoder {
  const splitter = createEventSplitter(MAX_EVENT_BYTES);
  const answer = createAnswer();
  let closed = false;

  function fail(error: GatewayError, fault: StreamFault): StreamEvent {
    closed = true;
    return { type: 'error', error, fault };
  }

  function take(event: SseEvent, into: StreamEvent[]): boolean {
    const data = dataIn(event);
    if (data === undefined) return true;
    const wire = parseEventObject(data);
    if (wire === undefined) throw invalidAnswer('an event is not JSON');
    if (isErrorEvent(event.event, wire)) {
      into.push(fail(streamedError(wire), 'UPSTREAM_ERROR'));
      return false;
    }
    answer.take(wire, into);
    closed = wire['type'] === TERMINAL;
    return !closed;
  }

  /** Invalid bytes become an error event. */
  function guard(read: (events: StreamEvent[]) => void): StreamEvent[] {
    const events: StreamEvent[] = [];
    try {
      read(events);
    } catch (error) {
      if (error instanceof GatewayError) events.push(fail(error, 'INVALID_RESPONSE'));
      else if (error instanceof RangeError) {
        events.push(fail(invalidAnswer(error.message), 'INVALID_RESPONSE'));
      } else throw error;
    }
    return events;
  }

  return {
    push(bytes) {
      if (closed) return [];
      const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      return guard((events) => {
        splitter.push(chunk, (raw) => take(readNamedEvent(raw), events));
      });
    },
    finish() {
      if (closed) return [];
      const rest = readEvent(splitter.rest().toString('utf8'));
      if (!isTerminal(rest)) return [fail(earlyEnd(), 'EARLY_END')];
      return guard((events) => take(rest, events));
    },
  };
}

/** The state of one answer. `take` throws `upstream_error` for an invalid event. */
function createAnswer() {
  const blocks = new Map<number, BlockState>();
  let begun = false;
  let tools = 0;
  let length = 0;
  let usage: JsonObject = {};
  const seen: SeenCalls = { searches: 0, code: false };
  /** Queries of searches without a result so far, by id. */
  const searches = new Map<string, string>();
  // Output counts at the start are not final.
  let counted = false;
  let ending: JsonObject = {};

  function take(wire: JsonObject, events: StreamEvent[]): void {
    const { type } = wire;
    if (type === 'message_start') return start(wire, events);
    if (!begun) {
      if (type === TERMINAL) throw invalidAnswer('it holds no message');
      return;
    }
    switch (type) {
      case 'content_block_delta':
        return takeDelta(wire, events);
      case 'content_block_start':
        return startBlock(wire, events);
      case 'content_block_stop':
        return stopBlock(countOf(wire['index']) ?? -1, events);
      case 'message_delta':
        ending = { ...ending, ...objectOf(wire['delta']) };
        usage = mergeUsage(usage, wire['usage']);
        counted ||= isObject(wire['usage']);
        return;
      case TERMINAL:
        return end(events);
      default:
        // Pings, and future additions to the format.
        return;
    }
  }

  function start(wire: JsonObject, events: StreamEvent[]): void {
    if (begun) throw invalidAnswer('it begins twice');
    begun = true;
    const message = objectOf(wire['message']) ?? {};
    usage = mergeUsage({}, message['usage']);
    events.push({
      type: 'start',
      id: textOf(message['id']) ?? '',
      model: textOf(message['model']) ?? '',
      ...present({
        serviceTier: decodeServiceTier(usage),
        inputUsage: inputUsage(usage),
      }),
    });
  }

  function startBlock(wire: JsonObject, events: StreamEvent[]): void {
    const index = countOf(wire['index']) ?? 0;
    const block = objectOf(wire['content_block']) ?? {};
    // A block that was left open ends here.
    stopBlock(index, events);
    if (blocks.size >= MAX_OPEN_BLOCKS) throw invalidAnswer('too many of its blocks are open');
    switch (block['type']) {
      case 'text':
        blocks.set(index, { type: 'text', startIndex: length, citations: [] });
        pushText(textOf(block['text']), events);
        return;
      case 'thinking':
        blocks.set(index, { type: 'thinking' });
        pushThinking(block, events);
        return;
      case 'redacted_thinking':
        blocks.set(index, { type: 'unknown' });
        events.push({
          type: 'thinking',
          choice,
          ...ownSeal({ redacted: textOf(block['data']) ?? '' }),
        });
        return;
      case 'tool_use': {
        const name = textOf(block['name']);
        if (name === undefined) throw invalidAnswer('a tool call names no tool');
        const id = textOf(block['id']) ?? `call_${tools}`;
        const input = JSON.stringify(block['input'] ?? {});
        blocks.set(index, { type: 'tool_use', tool: tools, input, said: false });
        events.push({ type: 'tool_start', choice, tool: tools, kind: 'function', id, name });
        tools += 1;
        return;
      }
      default:
        return startOther(index, block, events);
    }
  }

  /** A block of a server tool. */
  function startOther(index: number, block: JsonObject, events: StreamEvent[]): void {
    const before = seen.searches + Number(seen.code);
    seeBlock(seen, block);
    if (seen.searches + Number(seen.code) > before) {
      events.push({ type: 'units', units: countCalls({}, seen) });
    }
    const id = searchIdOf(block);
    if (isSearchUse(block)) {
      blocks.set(index, { type: 'search', id: textOf(block['id']) ?? '', input: [] });
      return;
    }
    blocks.set(index, { type: 'unknown' });
    const input = id === undefined ? undefined : searches.get(id);
    if (id === undefined || input === undefined) return;
    searches.delete(id);
    events.push({ type: 'web_search', choice, search: decodeSearch(id, parseInput(input), block) });
  }

  function takeDelta(wire: JsonObject, events: StreamEvent[]): void {
    const delta = objectOf(wire['delta']) ?? {};
    const block = blocks.get(countOf(wire['index']) ?? 0);
    switch (delta['type']) {
      case 'text_delta':
        return pushText(textOf(delta['text']), events);
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

  function stopBlock(index: number, events: StreamEvent[]): void {
    const block = blocks.get(index);
    blocks.delete(index);
    if (block?.type === 'text') {
      const span = { startIndex: block.startIndex, endIndex: length };
      for (const citation of block.citations) {
        events.push({ type: 'citation', choice, citation: { ...citation, ...span } });
      }
    } else if (block?.type === 'search' && searches.size < MAX_OPEN_BLOCKS) {
      searches.set(block.id, block.input.join(''));
    } else if (block?.type === 'tool_use' && !block.said) {
      // Other formats expect an empty object for a call without arguments.
      events.push({ type: 'tool_delta', choice, tool: block.tool, arguments: block.input });
    }
  }

  function pushText(text: string | undefined, events: StreamEvent[]): void {
    if (text === undefined) return;
    length += text.length;
    events.push({ type: 'text', choice, text });
  }

  function end(events: StreamEvent[]): void {
    for (const index of blocks.keys()) stopBlock(index, events);
    const explanation = textOf(objectOf(ending['stop_details'])?.['explanation']);
    if (explanation !== undefined) events.push({ type: 'refusal', choice, text: explanation });
    const rawReason = textOf(ending['stop_reason']) ?? '';
    const reason = decodeStopReason(rawReason, tools > 0);
    const stopSequence = textOf(ending['stop_sequence']);
    events.push({ type: 'stop', choice, reason, rawReason, ...present({ stopSequence }) });
    const reported = counted ? decodeUsage(usage, seen) : undefined;
    if (reported !== undefined) events.push({ type: 'usage', usage: reported });
    events.push({ type: 'end' });
  }

  return { take };
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
