// Decodes the items of a streamed response. It remembers what each item has sent, so that a final
// event that repeats it adds nothing.

import { arrayOf, countOf, objectOf, textOf } from '../json';
import type { JsonObject, ReportedUnits, StreamEvent } from '../normalised';
import { toolUnits } from '../server-tools';
import { decodeCitation } from './citations';
import { decodeCall, imageOf, sealIn } from './output';
import { createToolCount } from './server-tools';
import { decodeSearch } from './web-search';

interface ItemState {
  /** The index of a tool call. */
  tool: number | undefined;
  /** Of arguments or reasoning: how much became events. */
  said: number;
  /** Which of reasoning and summary is decoded; the other repeats it. */
  thought: 'content' | 'summary' | undefined;
  thoughtIndex: number;
  done: boolean;
  parts: Map<number, PartState>;
}

interface PartState {
  said: number;
  /** The offset of its text within the whole. */
  start: number;
  citations: number;
}

/** Limits the state that one stream can create. */
const MAX_ITEMS = 1_024;
const MAX_PARTS = 1_024;

const choice = 0;

export function createItemDecoder() {
  const items = new Map<number, ItemState>();
  const texts = createTexts();
  const calls = createCalls();
  const made = createToolCount();

  function itemAt(index: number): ItemState | undefined {
    const known = items.get(index);
    if (known !== undefined || items.size >= MAX_ITEMS) return known;
    const item: ItemState = {
      tool: undefined,
      said: 0,
      thought: undefined,
      thoughtIndex: 0,
      done: false,
      parts: new Map(),
    };
    items.set(index, item);
    return item;
  }

  const itemOf = (wire: JsonObject) => itemAt(countOf(wire['output_index']) ?? 0);

  function done(item: ItemState, wire: JsonObject, events: StreamEvent[]): string | undefined {
    if (item.done) return undefined;
    item.done = true;
    const before = unitsIn(made.units);
    made.take(wire);
    if (unitsIn(made.units) > before) events.push({ type: 'units', units: { ...made.units } });
    switch (wire['type']) {
      case 'message':
        texts.done(item, arrayOf(wire['content']), events);
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
        return calls.start(item, wire, events);
    }
  }

  /** Returns why an event is invalid; undefined if it is valid. */
  function take(type: string, wire: JsonObject, events: StreamEvent[]): string | undefined {
    const item = itemOf(wire);
    if (item === undefined) return undefined;
    switch (type) {
      case 'response.output_item.added':
        return calls.start(item, objectOf(wire['item']) ?? {}, events);
      case 'response.output_item.done':
        return done(item, objectOf(wire['item']) ?? {}, events);
      case 'response.output_text.delta':
        texts.text(item, wire, events);
        return undefined;
      case 'response.refusal.delta':
        texts.refusal(item, wire, events);
        return undefined;
      case 'response.output_text.annotation.added':
        texts.annotation(item, wire, events);
        return undefined;
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return calls.delta(item, textOf(wire['delta']), events);
      case 'response.function_call_arguments.done':
        calls.rest(item, textOf(wire['arguments']), events);
        return undefined;
      case 'response.custom_tool_call_input.done':
        calls.rest(item, textOf(wire['input']), events);
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

  return {
    take,
    takeText(wire: JsonObject, events: StreamEvent[]): void {
      const item = itemOf(wire);
      if (item !== undefined) texts.text(item, wire, events);
    },
    callsTools: () => calls.count() > 0,
    /** The billed units of the items so far. */
    units: () => toolUnits(made.units),
    /** Output in the terminal event that no event before it had. */
    takeRest(output: unknown, events: StreamEvent[]): string | undefined {
      // Positions are reliable only if no item came before.
      if (items.size > 0) return undefined;
      if (!Array.isArray(output)) return 'it holds no output';
      for (const [index, value] of output.entries()) {
        const item = itemAt(index);
        const flaw = item && done(item, objectOf(value) ?? {}, events);
        if (flaw !== undefined) return flaw;
      }
      return undefined;
    },
  };
}

function unitsIn(units: ReportedUnits): number {
  return Object.values(units).reduce((sum, count) => sum + count, 0);
}

/** Parts of messages. */
function createTexts() {
  let length = 0;

  function partAt(item: ItemState, index: number): PartState | undefined {
    const known = item.parts.get(index);
    if (known !== undefined || item.parts.size >= MAX_PARTS) return known;
    const part: PartState = { said: 0, start: length, citations: 0 };
    item.parts.set(index, part);
    return part;
  }

  const partOf = (item: ItemState, wire: JsonObject) =>
    partAt(item, countOf(wire['content_index']) ?? 0);

  function cite(part: PartState, annotation: unknown, events: StreamEvent[]): void {
    part.citations += 1;
    const citation = decodeCitation(annotation, part.start);
    if (citation !== undefined) events.push({ type: 'citation', choice, citation });
  }

  /** Content that did not come in deltas. */
  function rest(part: PartState, wire: JsonObject, events: StreamEvent[]): void {
    const type = wire['type'] === 'refusal' ? 'refusal' : 'text';
    const text = textOf(wire[type]);
    if (text !== undefined && part.said === 0) {
      part.said = text.length;
      if (type === 'text') length += text.length;
      events.push({ type, choice, text });
    }
    for (const annotation of arrayOf(wire['annotations']).slice(part.citations)) {
      cite(part, annotation, events);
    }
  }

  return {
    text(item: ItemState, wire: JsonObject, events: StreamEvent[]): void {
      const part = partOf(item, wire);
      const text = textOf(wire['delta']) ?? '';
      if (part === undefined) return;
      const probs = wire['logprobs'];
      const logprobs = Array.isArray(probs) && probs.length > 0 ? { content: probs } : undefined;
      if (text === '' && logprobs === undefined) return;
      part.said += text.length;
      length += text.length;
      events.push({ type: 'text', choice, text, ...(logprobs ? { logprobs } : {}) });
    },
    refusal(item: ItemState, wire: JsonObject, events: StreamEvent[]): void {
      const part = partOf(item, wire);
      const text = textOf(wire['delta']);
      if (part === undefined || text === undefined) return;
      part.said += text.length;
      events.push({ type: 'refusal', choice, text });
    },
    annotation(item: ItemState, wire: JsonObject, events: StreamEvent[]): void {
      const part = partOf(item, wire);
      if (part !== undefined) cite(part, wire['annotation'], events);
    },
    done(item: ItemState, content: readonly unknown[], events: StreamEvent[]): void {
      for (const [at, value] of content.entries()) {
        const part = partAt(item, at);
        if (part !== undefined) rest(part, objectOf(value) ?? {}, events);
      }
    },
  };
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
