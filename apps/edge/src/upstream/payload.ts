import type { Readable } from 'node:stream';

import type { JsonObject } from '../formats';

/** A request in the upstream's format. */
export interface Payload {
  /** A `document` has yet to be serialised as JSON. */
  body: Written | { document: JsonObject };
  contentType: string;
  /** Set if the body is a stream of known length. */
  contentLength?: number;
  accept: string;
  /** The request is a batch, for upstreams with a separate path for batches. */
  batch?: boolean;
  /** Paths of request fields that this upstream's format cannot express. */
  dropped: readonly string[];
  /** Path parameters other than the model, and the query. */
  place?: { ids: Readonly<Record<string, string>>; query: string };
}

export type Written = string | Buffer | Readable;

/** A payload that is ready to send. */
export type WrittenPayload = Payload & { body: Written };
