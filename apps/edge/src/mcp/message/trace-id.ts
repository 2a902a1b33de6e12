import type { JsonObject } from '../../formats';
import { objectOf } from '../../formats/json';

/** W3C trace context: version, trace id, parent id, flags. */
const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?$/;
const NO_TRACE = '0'.repeat(32);

/** The trace that a request belongs to, from its header or its `_meta`; empty: none. */
export function traceIdOf(header: string | string[] | undefined, params: JsonObject): string {
  const inMessage = objectOf(params['_meta'])?.['traceparent'];
  for (const text of [header, inMessage]) {
    const [, traceId = NO_TRACE] = typeof text === 'string' ? (TRACEPARENT.exec(text) ?? []) : [];
    if (traceId !== NO_TRACE) return traceId;
  }
  return '';
}
