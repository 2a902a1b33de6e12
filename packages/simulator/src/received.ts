// The latest requests as they arrived, for tests that ask what a gateway really sent.

import type { IncomingHttpHeaders } from 'node:http';

export interface ReceivedRequest {
  /** Counts up from 1 over the life of the process. */
  number: number;
  method: string;
  path: string;
  /** From the body or the path; empty when there is none. */
  model: string;
  apiKey: string;
  headers: IncomingHttpHeaders;
  /** Parsed, a form as its fields and `files`; text that cannot be; null when too large to keep. */
  body: unknown;
}

export interface ReceivedRequests {
  keep(request: Omit<ReceivedRequest, 'number'>, bodyBytes: number): void;
  list(filter: { model?: string | undefined; apiKey?: string | undefined }): ReceivedRequest[];
  reset(): void;
}

/** The largest body that is kept. */
const MAX_BODY_BYTES = 64 * 1024;

export function createReceivedRequests(max: number): ReceivedRequests {
  let number = 0;
  let ring: ReceivedRequest[] = [];

  return {
    keep(request, bodyBytes) {
      number += 1;
      if (max === 0) return;
      const body = bodyBytes > MAX_BODY_BYTES ? null : request.body;
      ring[(number - 1) % max] = { ...request, number, body };
    },
    list: ({ apiKey, model }) =>
      ring
        .filter((one) => model === undefined || one.model === model)
        .filter((one) => apiKey === undefined || one.apiKey === apiKey)
        .sort((a, b) => a.number - b.number),
    reset() {
      ring = [];
    },
  };
}
