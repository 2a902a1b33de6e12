// Nearly every chunk of a stream differs from the one before in its text only. Such a chunk is
// recognised by the bytes around its text, which were parsed once; only the text is extracted.

import { arrayOf, objectOf } from '../json';
import type { JsonObject, StreamEvent } from '../normalised';
import type { RawEvent } from '../sse';

type TextEvent = Extract<StreamEvent, { type: 'text' }>;

const OPENS = '"delta":{"content":"';
/** Characters that JSON does not escape: printable ASCII except the quote and the backslash. */
const NOT_AS_IT_IS = /[^\x20\x21\x23-\x5b\x5d-\x7e]/;

export interface PlainText {
  /** The text of a chunk that matches the learnt one; undefined: the chunk must be parsed. */
  read(raw: RawEvent): TextEvent | undefined;
  /** Learns a parsed chunk and its events, if a chunk like it may follow. */
  learn(raw: RawEvent, chunk: JsonObject, events: readonly StreamEvent[]): void;
}

export function createPlainText(): PlainText {
  let before = Buffer.alloc(0);
  let after = '';
  let choice = 0;

  return {
    read({ source, start, latin1 }) {
      const from = before.length;
      const to = latin1.length - after.length;
      if (from === 0 || to < from || !latin1.endsWith(after)) return undefined;
      if (before.compare(source, start, start + from) !== 0) return undefined;
      const text = latin1.slice(from, to);
      // An empty text gives no event.
      if (text === '' || NOT_AS_IT_IS.test(text)) return undefined;
      return { type: 'text', choice, text };
    },
    learn({ latin1 }, chunk, events) {
      const event = plainTextIn(chunk, events);
      if (event === undefined) return;
      const from = latin1.indexOf(OPENS) + OPENS.length;
      const to = from + event.text.length;
      if (from < OPENS.length || latin1.slice(from, to) !== event.text) return;
      if (NOT_AS_IT_IS.test(event.text) || latin1[to] !== '"') return;
      before = Buffer.from(latin1.slice(0, from), 'latin1');
      after = latin1.slice(to);
      choice = event.choice;
    },
  };
}

/** The text of a chunk that holds nothing else and changes no state. */
function plainTextIn(chunk: JsonObject, events: readonly StreamEvent[]): TextEvent | undefined {
  const [said] = events;
  if (events.length !== 1 || said?.type !== 'text' || said.logprobs !== undefined) return undefined;
  const choices = arrayOf(chunk['choices']);
  const choice = objectOf(choices[0]);
  const ends = choice?.['finish_reason'] ?? choice?.['stop_reason'] ?? chunk['usage'] ?? undefined;
  return choices.length === 1 && ends === undefined ? said : undefined;
}
