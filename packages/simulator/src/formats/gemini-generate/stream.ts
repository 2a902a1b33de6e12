// Gemini's two stream formats: events with `alt=sse`, otherwise one growing JSON array.

import type { Answer } from '../../answer';
import type { BilledUsage } from '../../bill';
import { geminiError } from '../../family';
import type { JsonObject } from '../../json';
import { EVENT_STREAM, type Frame, type Problem, type Stream } from '../../reply';
import {
  chunkOf,
  closingOf,
  contentOf,
  lastContentOf,
  type Heading,
  type Manner,
  type Part,
} from './response';

/** Writes one value of the stream, and closes the stream. */
interface Framing {
  type: string;
  value: (json: string, first: boolean) => string;
  close: string;
}

const EVENTS: Framing = {
  type: EVENT_STREAM,
  value: (json) => `data: ${json}\n\n`,
  close: '',
};

const ARRAY: Framing = {
  type: 'application/json; charset=UTF-8',
  value: (json, first) => (first ? `[${json}` : `,\n${json}`),
  close: '\n]\n',
};

export function generateStream(
  heading: Heading,
  answer: Answer,
  parts: Part[],
  manner: Manner,
  options: { events: boolean; usage: (generated: number) => BilledUsage | undefined },
): Stream {
  const framing = options.events ? EVENTS : ARRAY;
  let begun = false;
  const write = (value: object): string => framing.value(JSON.stringify(value), !begun);
  const indexes = Array.from({ length: manner.choices }, (_, index) => index);

  function* frames(): Generator<Frame> {
    let generated = 0;
    for (const { part, tokens } of parts) {
      for (const index of indexes) {
        generated += tokens;
        // Hidden thinking takes time but sends nothing.
        if (part['thought'] === true && part['text'] === '') yield { text: '', tokens };
        else {
          const candidate = { content: contentOf([part]), index };
          yield { text: write(chunkOf(heading, [candidate], options.usage(generated))), tokens };
          // Set only after the chunk was taken, because a fault may precede it.
          begun = true;
        }
      }
    }
  }

  return {
    type: framing.type,
    frames: frames(),
    ending(usage) {
      // Google sends finish reasons with the last content, so each candidate has its own last
      // chunk.
      const last = indexes.map((index) => {
        const candidate = {
          ...lastContentOf(answer, [{ text: '' }]),
          ...closingOf(answer, manner),
          index,
        };
        const text = write(chunkOf(heading, [candidate], usage));
        begun = true;
        return text;
      });
      return last.join('') + framing.close;
    },
    problem: (problem) => write(unavailable(problem)) + framing.close,
    garbage: framing.value('{"this is not": the event', false),
    keepAlive: '',
  };
}

/** A stream that only reports the blocked prompt. */
export function blockedStream(body: JsonObject, events: boolean): Stream {
  const framing = events ? EVENTS : ARRAY;
  return {
    type: framing.type,
    frames: [],
    ending: () => framing.value(JSON.stringify(body), true) + framing.close,
    problem: (problem) => framing.value(JSON.stringify(unavailable(problem)), true) + framing.close,
    garbage: framing.value('{"this is not": the event', true),
    keepAlive: '',
  };
}

/** Google uses 503 for overload. */
function unavailable(problem: Problem): object {
  return geminiError({ ...problem, status: 503 });
}
