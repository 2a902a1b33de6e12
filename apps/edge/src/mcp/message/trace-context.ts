import {
  formatTraceparent,
  parseTraceparent,
  readTracestate,
  type TraceContext,
} from '@tollgate/kit/tracing';

import type { JsonObject } from '../../formats';
import { objectOf } from '../../formats/json';

/** The trace that a message names in its `_meta`; undefined: none. */
export function traceInMessage(
  params: JsonObject,
): { context: TraceContext; state: string } | undefined {
  const meta = objectOf(params['_meta']);
  const context = parseTraceparent(meta?.['traceparent']);
  return context && { context, state: readTracestate(meta?.['tracestate']) };
}

/**
 * The same message with another `traceparent`. Only its characters are replaced, so that every other byte
 * stays; a message that has the text twice, or writes it otherwise, is left as it is.
 */
export function withTraceparent(body: Buffer, params: JsonObject, context: TraceContext): Buffer {
  const before = objectOf(params['_meta'])?.['traceparent'];
  const after = formatTraceparent(context);
  if (typeof before !== 'string' || before.length !== after.length) return body;
  const at = body.indexOf(before, 0, 'latin1');
  if (at < 0 || body.includes(before, at + 1, 'latin1')) return body;
  const changed = Buffer.from(body);
  changed.write(after, at, 'latin1');
  return changed;
}
