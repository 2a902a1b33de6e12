// What is kept of a request's bodies while it runs, if its organisation keeps bodies. It is bounded for each request
// and for all of them, and nothing of it ever fails a request.

import type { BodyLeftOut } from '@tollgate/contracts';
import type { Screening } from '@tollgate/screening';

import type { JsonObject, NormalisedResponse } from '../formats';
import type { ByteBudget, ByteLease } from '../intake';

/** A body before it is masked. */
export type UnmaskedBody =
  | { readonly leftOut: BodyLeftOut }
  /** A document of its own, or a plain text. */
  | { readonly document: unknown }
  /** A streamed answer. Incomplete: its last text may end within a secret. */
  | {
      readonly response: NormalisedResponse;
      readonly complete: boolean;
      readonly encode: (response: NormalisedResponse) => JsonObject;
    };

/** Reads an answer as it goes to the client. */
export interface BodyRecorder {
  /** Parts of a stream, in order. */
  readonly keep: (parts: readonly Buffer[]) => void;
  /** An answer that is no stream. */
  readonly keepWhole: (payload: Buffer | string, contentType: string) => void;
  readonly answer: () => RecordedBody;
}

export type RecordedBody =
  | { readonly kind: 'left-out'; readonly why: BodyLeftOut }
  | { readonly kind: 'whole'; readonly payload: Buffer | string; readonly contentType: string }
  /** A stream that is not put together: how much there was. */
  | { readonly kind: 'bytes'; readonly bytes: number }
  | { readonly kind: 'stream'; readonly response: NormalisedResponse; readonly complete: boolean };

/** The bodies of a running request. Undefined: not wanted. */
export interface BodyRecord {
  readonly request: UnmaskedBody | undefined;
  readonly recorder: BodyRecorder | undefined;
  readonly lease: ByteLease;
}

/** The bodies of a request that has ended. */
export interface EndedBodies {
  readonly requestId: string;
  readonly organisationId: string;
  /** When the request arrived. */
  readonly atMs: number;
  readonly request: UnmaskedBody | undefined;
  /** Parses the answer; it runs in the queue. */
  readonly answer: (() => UnmaskedBody) | undefined;
  readonly partial: boolean;
  /** Of the request: its rules that mask apply here too. */
  readonly screening: Screening | undefined;
  /** Released when the bodies are stored, or lost. */
  readonly lease: ByteLease;
}

/** Masks and stores bodies after their requests. */
export interface BodyKeeper {
  /** Of one body. */
  readonly mostBytes: number;
  /** Memory for all bodies until they are stored. */
  readonly room: ByteBudget;
  /** Never throws. */
  readonly keep: (bodies: EndedBodies) => void;
  /** Stores what is left, as far as the catalog takes it within so long. Never rejects. */
  readonly stop: (deadlineMs: number) => Promise<void>;
}
