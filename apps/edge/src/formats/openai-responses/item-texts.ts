// The state of a streamed item, and the texts of a message's parts: a final event that repeats them
// adds nothing.

import { arrayOf, countOf, objectOf, textOf } from '../json';
import type { JsonObject, StreamEvent } from '../normalised';
import { decodeCitation } from './citations';

export interface ItemState {
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
const MAX_PARTS = 1_024;

const choice = 0;

/** Parts of messages. */
export function createTexts() {
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
