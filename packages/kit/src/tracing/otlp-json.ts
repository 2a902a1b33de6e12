// OTLP's request with spans as JSON: ids in hexadecimal digits, 64-bit numbers as texts
// (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding).

import type { OtlpEncoder } from './otlp-encoder';
import { flagsOf, KIND_NUMBERS, STATUS_ERROR, unixNanos } from './otlp-values';
import type { FinishedTrace, SpanAttributes, SpanSource, SpanValue } from './span';

const COMMA = Buffer.from(',');

export function createJsonEncoder({ resource, scope }: SpanSource): OtlpEncoder {
  const { name, schemaUrl, version } = scope;
  const about = JSON.stringify({ attributes: attributesOf(Object.entries(resource)) });
  const within = JSON.stringify({ name, version });
  const url = JSON.stringify(schemaUrl);
  const before = `{"resourceSpans":[{"resource":${about},"schemaUrl":${url},"scopeSpans":[{"scope":${within},"schemaUrl":${url},"spans":[`;
  const first = Buffer.from(before);
  const last = Buffer.from(']}]}]}');
  const encoder = new TextEncoder();
  return {
    trace: (trace) => encoder.encode(spansOf(trace)),
    request: (traces) => {
      const spans = traces.flatMap((trace, at) => (at === 0 ? [trace] : [COMMA, trace]));
      return new Uint8Array(Buffer.concat([first, ...spans, last]));
    },
  };
}

/** Without the brackets of a list. */
function spansOf({ spans, state, traceId }: FinishedTrace): string {
  return spans
    .map((span, at) =>
      JSON.stringify({
        traceId,
        spanId: span.spanId,
        traceState: state || undefined,
        parentSpanId: span.parentSpanId || undefined,
        name: span.name,
        kind: KIND_NUMBERS[span.kind],
        startTimeUnixNano: String(unixNanos(span.startMs)),
        endTimeUnixNano: String(unixNanos(span.endMs)),
        attributes: attributesOf(span.attributes),
        links: span.link && [{ ...span.link, flags: flagsOf(true) }],
        status: span.error === undefined ? undefined : { message: span.error, code: STATUS_ERROR },
        flags: flagsOf(at === 0 && span.parentSpanId !== ''),
      }),
    )
    .join(',');
}

function attributesOf(attributes: SpanAttributes): object[] {
  return attributes.flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: valueOf(value) }],
  );
}

function valueOf(value: SpanValue): object {
  switch (typeof value) {
    case 'string':
      return { stringValue: value };
    case 'boolean':
      return { boolValue: value };
    case 'number':
      return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
    default:
      return { arrayValue: { values: value.map((one) => ({ stringValue: one })) } };
  }
}
