// Reads an answer on its way to the client, in the client's own format, after everything that screening does
// to it. What is kept is bounded, and what cannot be read is left out.

import type { AnswerRecorder, RecordedAnswer } from '../exchange/trace-content';
import { createFold, parseJson, type Format, type StreamEvent } from '../formats';

/** A larger answer has media, and is not parsed again. */
const MOST_BYTES = 1024 * 1024;

type Reading = Pick<Format, 'createStreamDecoder' | 'decodeResponse'>;

/** `characters`: of texts, at most. */
export function createAnswerRecorder(format: Reading, characters: number): AnswerRecorder {
  const fold = createFold();
  let decoder: ReturnType<Format['createStreamDecoder']> | undefined;
  let whole: Buffer | string | undefined;
  let left = characters;
  let ended = false;
  let cut = false;
  let unreadable = false;

  const take = (event: StreamEvent): void => {
    if (ended) return;
    if (event.type === 'error' || event.type === 'end') {
      ended = true;
      return;
    }
    left -= sizeOf(event);
    if (left < 0) {
      cut = true;
      ended = true;
      decoder = undefined;
      return;
    }
    if (event.type !== 'audio' && event.type !== 'image') fold.take(event);
  };

  // The client has its answer, whatever this reading of it comes to.
  const reading = (read: () => void): void => {
    try {
      read();
    } catch {
      unreadable = true;
      ended = true;
      decoder = undefined;
    }
  };

  const readWhole = (payload: Buffer | string): RecordedAnswer => {
    let choices: RecordedAnswer['choices'] = [];
    reading(() => {
      ({ choices } = format.decodeResponse(parseJson(payload.toString())));
    });
    return { choices, cut: false, leftOut: unreadable ? 'unreadable' : undefined };
  };

  return {
    keep: (parts) => {
      if (ended) return;
      reading(() => {
        decoder ??= format.createStreamDecoder();
        for (const part of parts) for (const event of decoder?.push(part) ?? []) take(event);
      });
    },
    keepWhole: (payload) => {
      if (payload.length > MOST_BYTES) unreadable = true;
      else whole = payload;
    },
    answer: () => {
      if (whole !== undefined) return readWhole(whole);
      // Some formats say only at the end why an answer has stopped.
      reading(() => {
        for (const event of decoder?.finish() ?? []) take(event);
      });
      return {
        choices: fold.response().choices,
        cut,
        leftOut: unreadable ? 'unreadable' : undefined,
      };
    },
  };
}

/** What an event counts for beside its text, as many short ones take more memory than their texts. */
const EVENT_CHARACTERS = 4;
const CALL_CHARACTERS = 64;

function sizeOf(event: StreamEvent): number {
  switch (event.type) {
    case 'text':
    case 'refusal':
      return event.text.length + EVENT_CHARACTERS;
    case 'thinking':
      return (event.text?.length ?? 0) + EVENT_CHARACTERS;
    case 'tool_delta':
      return event.arguments.length + EVENT_CHARACTERS;
    case 'tool_start':
      return event.name.length + event.id.length + CALL_CHARACTERS;
    case 'citation':
    case 'web_search':
      return JSON.stringify(event).length;
    default:
      return 0;
  }
}
