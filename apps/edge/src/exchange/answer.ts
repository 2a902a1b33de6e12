// What an upstream has answered, as long as nothing of it has been sent to the client.

import type { Attempt, Candidate__Output } from '@tollgate/contracts/node';
import type { Answered, Passage } from '../operations';
import type { UpstreamFailure } from '../upstream/failure';

type AnswerFacts = {
  candidate: Candidate__Output;
  /** Paths of what could not be said to the provider. */
  dropped: readonly string[];
  /** Headers of the upstream's answer that its own clients read. */
  relayed: Readonly<Record<string, string>>;
  /** The provider goes on with it when it has answered. */
  background?: boolean;
};

export type UnaryAnswer = AnswerFacts & {
  kind: 'unary';
  answered: Answered;
  /** Undefined: the gateway answers itself. */
  attempt: Attempt | undefined;
};

export type StreamAnswer = AnswerFacts & {
  kind: 'stream';
  stream: StartedStream;
  attempt: Attempt;
  /** Monotonic instant at which the upstream was called. */
  startedMs: number;
};

export type Answer = UnaryAnswer | StreamAnswer;

/** Receives a stream once it has begun. After `over` nothing comes any more. */
export type StreamReader = {
  /** Whole events, ready to be sent. False: no more until `resume`. */
  pass: (parts: readonly Buffer[]) => boolean;
  /** The stream is complete, or has failed. */
  over: (failure: UpstreamFailure | undefined) => void;
};

/** A stream whose first event has come. What comes next waits for a reader. */
export type StartedStream = {
  tap: Passage;
  /** Monotonic instant of the first output; undefined as long as there is none. */
  firstOutputMs: () => number | undefined;
  read: (reader: StreamReader) => void;
  resume: () => void;
  abort: () => void;
};
