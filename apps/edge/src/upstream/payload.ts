import type { Readable } from 'node:stream';
import type { JsonObject } from '../formats';

/** A request as it goes to the upstream. */
export type Payload = {
  /** A document is still to be written as JSON. */
  body: Written | { document: JsonObject };
  contentType: string;
  /** Stated where the body is a stream of known length. */
  contentLength?: number;
  accept: string;
  /** It asks for several answers at once, where the upstream has a path of its own for that. */
  batch?: boolean;
  /** Paths of what could not be said to this upstream. */
  dropped: readonly string[];
  /** What the path names beside the model, and what stands in its query. */
  place?: { ids: Readonly<Record<string, string>>; query: string };
};

export type Written = string | Buffer | Readable;

/** A payload that can be sent. */
export type WrittenPayload = Payload & { body: Written };
