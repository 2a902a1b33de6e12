import type { IncomingMessage } from 'node:http';
import {
  newSpanId,
  parseTraceparent,
  readTracestate,
  type SpanAttributes,
  type Tracing,
} from '@tollgate/kit/tracing';

/** A call of the management API that continues a trace. */
export interface RestTrace {
  readonly traceId: string;
  /** Sends the span of the call. Does nothing unless the call is traced. */
  readonly end: (call: FinishedCall) => void;
}

export interface FinishedCall {
  readonly method: string;
  /** Template of the path; undefined: there is no such endpoint. */
  readonly route: string | undefined;
  readonly operation: string;
  readonly status: number;
  readonly durationMs: number;
  readonly requestId: string;
  /** Only then may a caller decide that the call is traced. */
  readonly signedIn: boolean;
}

/** Undefined: the call continues no trace. */
export function beginRestCall(
  tracing: Pick<Tracing, 'add' | 'sampler'> | undefined,
  { headers }: Pick<IncomingMessage, 'headers'>,
): RestTrace | undefined {
  const { traceparent } = headers;
  const caller = traceparent === undefined ? undefined : parseTraceparent(traceparent);
  if (!caller) return undefined;
  const { sampled, spanId: parentSpanId, traceId } = caller;
  const sampling = tracing?.sampler.continued(traceId, sampled) ?? 'no';
  const end = (call: FinishedCall): void => {
    if (sampling === 'no' || (sampling === 'caller' && !call.signedIn)) return;
    const endMs = Date.now();
    tracing?.add({
      traceId,
      state: readTracestate(headers['tracestate']),
      spans: [
        {
          name: `${call.method} ${call.route ?? ''}`.trim(),
          kind: 'SERVER',
          spanId: newSpanId(),
          parentSpanId,
          startMs: endMs - call.durationMs,
          endMs,
          attributes: attributesOf(call),
          error: call.status >= 500 ? String(call.status) : undefined,
        },
      ],
    });
  };
  return { traceId, end };
}

function attributesOf(call: FinishedCall): SpanAttributes {
  return [
    ['http.request.method', call.method],
    ['http.route', call.route],
    ['http.response.status_code', call.status],
    ['url.scheme', 'http'],
    ['error.type', call.status >= 500 ? String(call.status) : undefined],
    ['tollgate.request.id', call.requestId],
    ['tollgate.rest.operation', call.route === undefined ? undefined : call.operation],
  ];
}
