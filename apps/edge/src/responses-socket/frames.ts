// The text frames of the vendor's protocol that are not events of a response.

import type { JsonObject } from '../formats';
import { isObject } from '../formats/json';

/** Writes the stream that a message named into its events, as the vendor does. */
export function markStream(event: string, streamId: string | undefined): string {
  if (streamId === undefined || !event.startsWith('{')) return event;
  return `{"stream_id":${JSON.stringify(streamId)},${event.slice(1)}`;
}

export interface RefusedAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** The body of the same refusal over HTTP. */
  body: string;
}

/** Headers that describe the HTTP message itself. */
const FRAMING: ReadonlySet<string> = new Set(['connection', 'content-length', 'content-type']);

/** A refusal: the error of the HTTP answer, with its status and headers. */
export function refusalFrame({ status, headers, body }: RefusedAnswer): string {
  const kept = Object.entries(headers).filter(([name]) => !FRAMING.has(name));
  return JSON.stringify({
    type: 'error',
    status,
    error: errorIn(body),
    headers: Object.fromEntries(kept),
  });
}

function errorIn(body: string): JsonObject {
  const parsed: unknown = JSON.parse(body);
  const error = isObject(parsed) ? parsed['error'] : undefined;
  return isObject(error) ? error : {};
}

/** The field that an error names; undefined: none. */
export function refusedField(body: string): unknown {
  return errorIn(body)['param'];
}

/** The vendor's own word for a continued response that it does not have; SDKs then send all of their input. */
export function responseNotFoundFrame(id: string, headers: RefusedAnswer['headers']): string {
  return refusalFrame({
    status: 400,
    headers,
    body: JSON.stringify({
      error: {
        type: 'invalid_request_error',
        code: 'previous_response_not_found',
        message: `Previous response with id '${id}' not found.`,
        param: 'previous_response_id',
      },
    }),
  });
}

/** The vendor's own word for a connection that is too old; clients open another one. */
export function tooOldFrame(maxAgeMs: number): string {
  const minutes = Math.max(1, Math.round(maxAgeMs / 60_000));
  return refusalFrame({
    status: 400,
    headers: {},
    body: JSON.stringify({
      error: {
        type: 'invalid_request_error',
        code: 'websocket_connection_limit_reached',
        message: `Responses websocket connection limit reached (${minutes} minutes). Create a new websocket connection to continue.`,
        param: null,
      },
    }),
  });
}
