// What is kept of a request's texts for its trace while it runs, if its organisation wants them there. It is
// bounded for each request and for all of them, and nothing of it ever fails a request.

import type { SpanAttributes } from '@tollgate/kit/tracing';

import type { NormalisedResponse } from '../formats';

/** Why a trace has less than the texts of its request. */
export type ContentLeftOut = 'blocked' | 'busy' | 'masked' | 'unreadable';

/** Says on a span why it has no texts. */
export function leftOut(why: ContentLeftOut): SpanAttributes {
  return [['tollgate.content.left_out', why]];
}

export interface RecordedAnswer {
  readonly response: NormalisedResponse;
  /** A stream reached its end. */
  readonly complete: boolean;
  /** There was more than is kept. */
  readonly cut: boolean;
  /** It is cut because there was no memory for it. */
  readonly withoutRoom: boolean;
  /** Undefined: it is all of the answer, as far as it is kept. */
  readonly leftOut: ContentLeftOut | undefined;
}

/** Reads an answer as it goes to the client. */
export interface AnswerRecorder {
  /** Parts of a stream, in order. */
  readonly keep: (parts: readonly Buffer[]) => void;
  /** An answer that is no stream. */
  readonly keepWhole: (payload: Buffer | string) => void;
  readonly answer: () => RecordedAnswer;
}

/** Texts of one request for its trace. */
export interface TraceContent {
  /** Characters of the input and of the output at most. */
  readonly characters: number;
  /** Undefined: too many requests keep texts already. */
  readonly recorder: AnswerRecorder | undefined;
  /** Gives the place of the request back. Later calls change nothing. */
  readonly close: () => void;
}

/** Texts of one call of a tool for its trace. */
export interface CallContent {
  /** Parts of the answer, as they go to the client. */
  readonly keep: (parts: readonly Buffer[]) => void;
  /** What the span of the call has of them, when the call has ended. */
  readonly attributes: () => SpanAttributes;
  readonly close: () => void;
}

/** Bounds what all running requests keep together. */
export interface ContentRoom {
  /** Of the input, and of the output of one request. */
  readonly characters: number;
  /** A place for one request; undefined: there is none left. */
  readonly take: () => (() => void) | undefined;
}

/** What all running requests keep together, in characters. */
const MOST_CHARACTERS = 32 * 1024 * 1024;

export function createContentRoom(characters: number): ContentRoom {
  let free = Math.floor(MOST_CHARACTERS / characters);
  return {
    characters,
    take: () => {
      if (free === 0) return undefined;
      free -= 1;
      let open = true;
      return () => {
        if (open) free += 1;
        open = false;
      };
    },
  };
}
