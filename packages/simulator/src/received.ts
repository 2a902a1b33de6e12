// The latest requests as they arrived, so that tests can check what a gateway sent.

import type { IncomingHttpHeaders } from 'node:http';

export interface ReceivedRequest {
  /** Counts from 1 since the process started. */
  number: number;
  method: string;
  path: string;
  /** From the body or the path; empty if there is none. */
  model: string;
  apiKey: string;
  headers: IncomingHttpHeaders;
  /**
   * The parsed body; a form as its fields and `files`; plain text if it is not JSON; `null` if it
   * is too large to keep.
   */
  body: unknown;
}

export interface ReceivedRequests {
  keep(request: Omit<ReceivedRequest, 'number'>, bodyBytes: number): void;
  list(filter: { model?: string | undefined; apiKey?: string | undefined }): ReceivedRequest[];
  reset(): void;
}

/** The latest of something, in the order of arrival, each with its number since the process started. */
export interface Ring<T> {
  keep(one: T, bodyBytes: number): void;
  list(): (T & { number: number })[];
  /** Forgets those that `which` selects; without it, all. */
  reset(which?: (one: T) => boolean): void;
}

/** Limit of a body that is kept. */
const MAX_BODY_BYTES = 64 * 1024;

export function createRing<T extends { body: unknown }>(max: number): Ring<T> {
  let number = 0;
  const ring: ((T & { number: number }) | undefined)[] = [];

  return {
    keep(one, bodyBytes) {
      number += 1;
      if (max === 0) return;
      const body = bodyBytes > MAX_BODY_BYTES ? null : one.body;
      ring[(number - 1) % max] = { ...one, number, body };
    },
    // After a reset the ring has holes.
    list: () =>
      Object.values(ring)
        .filter((one) => one !== undefined)
        .sort((a, b) => a.number - b.number),
    reset(which = () => true) {
      for (const [place, one] of ring.entries()) if (one && which(one)) ring[place] = undefined;
    },
  };
}

export function createReceivedRequests(max: number): ReceivedRequests {
  const ring = createRing<Omit<ReceivedRequest, 'number'>>(max);
  return {
    keep: (request, bodyBytes) => ring.keep(request, bodyBytes),
    list: ({ apiKey, model }) =>
      ring
        .list()
        .filter((one) => model === undefined || one.model === model)
        .filter((one) => apiKey === undefined || one.apiKey === apiKey),
    reset: () => ring.reset(),
  };
}
