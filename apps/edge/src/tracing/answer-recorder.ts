// Reads an answer on its way to the client, in the client's own format, after everything that screening does
// to it. What is kept is bounded, and what cannot be read is left out.

import type { AnswerRecorder, RecordedAnswer } from '../exchange/trace-content';
import { createFold, parseJson, type Format, type StreamEvent } from '../formats';

/** A larger answer has media, and is not parsed again. */
const MOST_BYTES = 1024 * 1024;

type Reading = Pick<Format, 'createStreamDecoder' | 'decodeResponse'>;

/** `characters`: of texts, at most. `room`: takes memory for them; false: there is none. */
export function createAnswerRecorder(
  format: Reading,
  characters: number,
  room: (characters: number) => boolean = () => true,
): AnswerRecorder {
  const fold = createFold();
  let decoder: ReturnType<Format['createStreamDecoder']> | undefined;
  let whole: Buffer | string | undefined;
  let left = characters;
  let ended = false;
  let cut = false;
  let unreadable = false;
  let complete = false;
  let withoutRoom = false;

  const take = (event: StreamEvent): void => {
    if (ended) return;
    if (event.type === 'error' || event.type === 'end') {
      ended = true;
      complete = event.type === 'end';
      return;
    }
    const size = sizeOf(event);
    left -= size;
    withoutRoom = left >= 0 && size > 0 && !room(size);
    if (left < 0 || withoutRoom) {
      cut = true;
      ended = true;
      decoder = undefined;
      return;
    }
    if (event.type !== 'audio' && event.type !== 'image') fold.take(withoutTokens(event));
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
      if (whole !== undefined) return wholeAnswer(format, whole);
      // Some formats say only at the end why an answer has stopped.
      reading(() => {
        for (const event of decoder?.finish() ?? []) take(event);
      });
      return {
        response: fold.response(),
        complete,
        cut,
        withoutRoom,
        leftOut: unreadable ? 'unreadable' : undefined,
      };
    },
  };
}

function wholeAnswer(format: Reading, payload: Buffer | string): RecordedAnswer {
  const rest = { complete: true, cut: false, withoutRoom: false };
  try {
    const response = format.decodeResponse(parseJson(payload.toString()));
    return { ...rest, response, leftOut: undefined };
  } catch {
    return { ...rest, response: { id: '', model: '', choices: [] }, leftOut: 'unreadable' };
  }
}

/** Tokens are pieces of the text once more, and many times as long. */
function withoutTokens(event: StreamEvent): StreamEvent {
  if (event.type !== 'text' && event.type !== 'refusal') return event;
  const { logprobs: _, ...rest } = event;
  return rest;
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
