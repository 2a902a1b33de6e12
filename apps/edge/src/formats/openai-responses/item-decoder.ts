// Decodes the items of a streamed response. It remembers what each item has sent, so that a final
// event that repeats it adds nothing.

import { arrayOf, countOf, objectOf, textOf } from '../json';
import type { JsonObject, ReportedUnits, StreamEvent } from '../normalised';
import { toolUnits } from '../server-tools';
import { createTexts, type ItemState } from './item-texts';
import { decodeCall, imageOf, sealIn } from './output';
import { createToolCount } from './server-tools';
import { decodeSearch } from './web-search';

/** Limits the state that one stream can create. */
const MAX_ITEMS = 1_024;

const choice = 0;

interface DecoderState {
  readonly items: Map<number, ItemState>;
  readonly texts: ReturnType<typeof createTexts>;
  readonly calls: ReturnType<typeof createCalls>;
  readonly made: ReturnType<typeof createToolCount>;
}

export type ItemDecoder = ReturnType<typeof createItemDecoder>;

export function createItemDecoder() {
  const decoder: DecoderState = {
    items: new Map(),
    texts: createTexts(),
    calls: createCalls(),
    made: createToolCount(),
  };
  return {
    /** Returns why an event is invalid; undefined if it is valid. */
    take: (type: string, wire: JsonObject, events: StreamEvent[]): string | undefined =>
      take(decoder, type, wire, events),
    takeText(wire: JsonObject, events: StreamEvent[]): void {
      const item = itemOf(decoder, wire);
      if (item !== undefined) decoder.texts.text(item, wire, events);
    },
    callsTools: () => decoder.calls.count() > 0,
    /** The billed units of the items so far. */
    units: () => toolUnits(decoder.made.units),
    /** Output in the terminal event that no event before it had. */
    takeRest: (output: unknown, events: StreamEvent[]): string | undefined =>
      takeRest(decoder, output, events),
  };
}

function take(
  decoder: DecoderState,
  type: string,
  wire: JsonObject,
  events: StreamEvent[],
): string | undefined {
  const item = itemOf(decoder, wire);
  if (item === undefined) return undefined;
  switch (type) {
    case 'response.output_item.added':
      return decoder.calls.start(item, objectOf(wire['item']) ?? {}, events);
    case 'response.output_item.done':
      return done(decoder, item, objectOf(wire['item']) ?? {}, events);
    case 'response.output_text.delta':
      decoder.texts.text(item, wire, events);
      return undefined;
    case 'response.refusal.delta':
      decoder.texts.refusal(item, wire, events);
      return undefined;
    case 'response.output_text.annotation.added':
      decoder.texts.annotation(item, wire, events);
      return undefined;
    case 'response.function_call_arguments.delta':
    case 'response.custom_tool_call_input.delta':
      return decoder.calls.delta(item, textOf(wire['delta']), events);
    case 'response.function_call_arguments.done':
      decoder.calls.rest(item, textOf(wire['arguments']), events);
      return undefined;
    case 'response.custom_tool_call_input.done':
      decoder.calls.rest(item, textOf(wire['input']), events);
      return undefined;
    case 'response.reasoning_text.delta':
      think(item, 'content', wire['content_index'], wire['delta'], events);
      return undefined;
    case 'response.reasoning_summary_text.delta':
      think(item, 'summary', wire['summary_index'], wire['delta'], events);
      return undefined;
    default:
      return undefined;
  }
}

function done(
  decoder: DecoderState,
  item: ItemState,
  wire: JsonObject,
  events: StreamEvent[],
): string | undefined {
  if (item.done) return undefined;
  item.done = true;
  const before = unitsIn(decoder.made.units);
  decoder.made.take(wire);
  if (unitsIn(decoder.made.units) > before)
    events.push({ type: 'units', units: { ...decoder.made.units } });
  switch (wire['type']) {
    case 'message':
      decoder.texts.done(item, arrayOf(wire['content']), events);
      return undefined;
    case 'reasoning':
      thoughtDone(item, wire, events);
      return undefined;
    case 'image_generation_call': {
      const url = imageOf(wire);
      if (url !== undefined) events.push({ type: 'image', choice, url });
      return undefined;
    }
    case 'web_search_call': {
      const search = decodeSearch(wire);
      if (search !== undefined) events.push({ type: 'web_search', choice, search });
      return undefined;
    }
    default:
      return decoder.calls.start(item, wire, events);
  }
}

function itemAt(decoder: DecoderState, index: number): ItemState | undefined {
  const known = decoder.items.get(index);
  if (known !== undefined || decoder.items.size >= MAX_ITEMS) return known;
  const item: ItemState = {
    tool: undefined,
    said: 0,
    thought: undefined,
    thoughtIndex: 0,
    done: false,
    parts: new Map(),
  };
  decoder.items.set(index, item);
  return item;
}

function itemOf(decoder: DecoderState, wire: JsonObject): ItemState | undefined {
  return itemAt(decoder, countOf(wire['output_index']) ?? 0);
}

function takeRest(
  decoder: DecoderState,
  output: unknown,
  events: StreamEvent[],
): string | undefined {
  // Positions are reliable only if no item came before.
  if (decoder.items.size > 0) return undefined;
  if (!Array.isArray(output)) return 'it holds no output';
  for (const [index, value] of output.entries()) {
    const item = itemAt(decoder, index);
    const flaw = item && done(decoder, item, objectOf(value) ?? {}, events);
    if (flaw !== undefined) return flaw;
  }
  return undefined;
}

function unitsIn(units: ReportedUnits): number {
  return Object.values(units).reduce((sum, count) => sum + count, 0);
}

/** Calls of tools. */
function createCalls() {
  let count = 0;

  function say(item: ItemState, text: string, events: StreamEvent[]): void {
    if (item.tool === undefined || text === '') return;
    item.said += text.length;
    events.push({ type: 'tool_delta', choice, tool: item.tool, arguments: text });
  }

  /** Content that did not come in deltas. */
  function rest(item: ItemState, text: string | undefined, events: StreamEvent[]): void {
    if (item.said === 0) say(item, text ?? '', events);
  }

  return {
    count: () => count,
    rest,
    start(item: ItemState, wire: JsonObject, events: StreamEvent[]): string | undefined {
      if (wire['type'] !== 'function_call' && wire['type'] !== 'custom_tool_call') return undefined;
      if (textOf(wire['name']) === undefined) return 'a tool call names no tool';
      const { id, kind, name, arguments: text } = decodeCall(wire);
      if (item.tool === undefined) {
        item.tool = count++;
        events.push({ type: 'tool_start', choice, tool: item.tool, kind, id, name });
      }
      rest(item, text, events);
      return undefined;
    },
    delta(item: ItemState, text: string | undefined, events: StreamEvent[]): string | undefined {
      if (item.tool === undefined) return 'it adds arguments to no tool call';
      say(item, text ?? '', events);
      return undefined;
    },
  };
}

function think(
  item: ItemState,
  kind: 'content' | 'summary',
  position: unknown,
  delta: unknown,
  events: StreamEvent[],
): void {
  const text = textOf(delta);
  const index = countOf(position) ?? 0;
  if (text === undefined || (item.thought ?? kind) !== kind) return;
  const gap = item.said > 0 && index !== item.thoughtIndex ? '\n\n' : '';
  item.thought = kind;
  item.thoughtIndex = index;
  item.said += text.length;
  events.push({ type: 'thinking', choice, text: gap + text });
}

function thoughtDone(item: ItemState, wire: JsonObject, events: StreamEvent[]): void {
  if (item.said === 0) {
    for (const kind of ['content', 'summary'] as const) {
      for (const [at, part] of arrayOf(wire[kind]).entries()) {
        think(item, kind, at, objectOf(part)?.['text'], events);
      }
    }
  }
  const seal = sealIn(wire);
  if (Object.keys(seal).length > 0) events.push({ type: 'thinking', choice, ...seal });
}
