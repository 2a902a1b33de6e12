// An upstream's answer before any of it is sent to the client.

import type { Attempt, Candidate__Output } from '@tollgate/contracts/node';

import type { Answered, Passage } from '../operations';
import type { UpstreamFailure } from '../upstream/failure';

interface AnswerFacts {
  candidate: Candidate__Output;
  /** Paths of request fields that the provider's format cannot express. */
  dropped: readonly string[];
  /** Upstream headers that the vendor's own SDKs read. */
  relayed: Readonly<Record<string, string>>;
  /** The provider continues to work on it in the background. */
  background?: boolean;
}

export type UnaryAnswer = AnswerFacts & {
  kind: 'unary';
  answered: Answered;
  /** Undefined: the gateway answered without an upstream. */
  attempt: Attempt | undefined;
};

export type StreamAnswer = AnswerFacts & {
  kind: 'stream';
  stream: StartedStream;
  /** Monotonic instant of its head. */
  streamsFromMs: number;
  attempt: Attempt;
  /** Monotonic instant at which the upstream was called. */
  startedMs: number;
};

export type Answer = UnaryAnswer | StreamAnswer;

/** Consumes a started stream. `over` is the last call. */
export interface StreamReader {
  /** Complete events, ready to send. False: pause until `resume` is called. */
  pass: (parts: readonly Buffer[]) => boolean;
  /** The stream is complete (no failure), or it failed. */
  over: (failure: UpstreamFailure | undefined) => void;
}

/** A stream whose first event has arrived. Later events wait for a reader. */
export interface StartedStream {
  tap: Passage;
  /** Monotonic instant of the first output; undefined until there is any. */
  firstOutputMs: () => number | undefined;
  read: (reader: StreamReader) => void;
  resume: () => void;
  abort: () => void;
}
