// OTLP's request with spans as protocol buffers
// (https://github.com/open-telemetry/opentelemetry-proto: collector/trace/v1, trace/v1, common/v1).

import { Writer } from '../protobuf-writer';
import type { OtlpEncoder } from './otlp-encoder';
import { flagsOf, KIND_NUMBERS, STATUS_ERROR, unixNanos } from './otlp-values';
import type { FinishedSpan, FinishedTrace, SpanAttributes, SpanSource, SpanValue } from './span';

const VARINT = 0;
const FIXED_64 = 1;
const LENGTH = 2;
const FIXED_32 = 5;
const tag = (field: number, type: number): number => field * 8 + type;

const REQUEST = { resourceSpans: tag(1, LENGTH) };
const RESOURCE_SPANS = {
  resource: tag(1, LENGTH),
  scopeSpans: tag(2, LENGTH),
  schemaUrl: tag(3, LENGTH),
};
const RESOURCE = { attributes: tag(1, LENGTH) };
const SCOPE_SPANS = { scope: tag(1, LENGTH), spans: tag(2, LENGTH), schemaUrl: tag(3, LENGTH) };
const SCOPE = { name: tag(1, LENGTH), version: tag(2, LENGTH) };
const SPAN = {
  traceId: tag(1, LENGTH),
  spanId: tag(2, LENGTH),
  traceState: tag(3, LENGTH),
  parentSpanId: tag(4, LENGTH),
  name: tag(5, LENGTH),
  kind: tag(6, VARINT),
  start: tag(7, FIXED_64),
  end: tag(8, FIXED_64),
  attributes: tag(9, LENGTH),
  links: tag(13, LENGTH),
  status: tag(15, LENGTH),
  flags: tag(16, FIXED_32),
};
const LINK = { traceId: tag(1, LENGTH), spanId: tag(2, LENGTH), flags: tag(6, FIXED_32) };
const STATUS = { message: tag(2, LENGTH), code: tag(3, VARINT) };
const KEY_VALUE = { key: tag(1, LENGTH), value: tag(2, LENGTH) };
const VALUE = {
  text: tag(1, LENGTH),
  bool: tag(2, VARINT),
  int: tag(3, VARINT),
  double: tag(4, FIXED_64),
  array: tag(5, LENGTH),
};
const ARRAY = { values: tag(1, LENGTH) };

export function createProtobufEncoder({ resource, scope }: SpanSource): OtlpEncoder {
  const writer = new Writer();
  return {
    trace: (trace) => {
      writer.reset();
      writeTrace(writer, trace);
      return writer.finishAlone();
    },
    request: (traces) => {
      writer.reset();
      const resourceSpans = writer.open(REQUEST.resourceSpans);
      const about = writer.open(RESOURCE_SPANS.resource);
      writeAttributes(writer, RESOURCE.attributes, Object.entries(resource));
      writer.close(about);
      const scopeSpans = writer.open(RESOURCE_SPANS.scopeSpans);
      const within = writer.open(SCOPE_SPANS.scope);
      writer.text(SCOPE.name, scope.name);
      writer.text(SCOPE.version, scope.version);
      writer.close(within);
      for (const trace of traces) writer.encoded(trace);
      writer.text(SCOPE_SPANS.schemaUrl, scope.schemaUrl);
      writer.close(scopeSpans);
      writer.text(RESOURCE_SPANS.schemaUrl, scope.schemaUrl);
      writer.close(resourceSpans);
      return writer.finishAlone();
    },
  };
}

function writeTrace(writer: Writer, { spans, state, traceId }: FinishedTrace): void {
  let first = true;
  for (const span of spans) {
    const start = writer.open(SCOPE_SPANS.spans);
    writer.hex(SPAN.traceId, traceId);
    writer.hex(SPAN.spanId, span.spanId);
    writer.text(SPAN.traceState, state);
    writeSpan(writer, span);
    writer.fixed32(SPAN.flags, flagsOf(first && span.parentSpanId !== ''));
    writer.close(start);
    first = false;
  }
}

function writeSpan(writer: Writer, span: FinishedSpan): void {
  if (span.parentSpanId !== '') writer.hex(SPAN.parentSpanId, span.parentSpanId);
  writer.text(SPAN.name, span.name);
  writer.int(SPAN.kind, KIND_NUMBERS[span.kind]);
  writer.fixed64(SPAN.start, unixNanos(span.startMs));
  writer.fixed64(SPAN.end, unixNanos(span.endMs));
  writeAttributes(writer, SPAN.attributes, span.attributes);
  if (span.link) {
    const link = writer.open(SPAN.links);
    writer.hex(LINK.traceId, span.link.traceId);
    writer.hex(LINK.spanId, span.link.spanId);
    writer.fixed32(LINK.flags, flagsOf(true));
    writer.close(link);
  }
  if (span.error !== undefined) {
    const status = writer.open(SPAN.status);
    writer.text(STATUS.message, span.error);
    writer.int(STATUS.code, STATUS_ERROR);
    writer.close(status);
  }
}

function writeAttributes(writer: Writer, field: number, attributes: SpanAttributes): void {
  for (const [key, value] of attributes) {
    if (value === undefined) continue;
    const pair = writer.open(field);
    writer.text(KEY_VALUE.key, key);
    const any = writer.open(KEY_VALUE.value);
    writeValue(writer, value);
    writer.close(any);
    writer.close(pair);
  }
}

function writeValue(writer: Writer, value: SpanValue): void {
  if (typeof value === 'string') writer.textAlways(VALUE.text, value);
  else if (typeof value === 'boolean') writer.boolAlways(VALUE.bool, value);
  else if (typeof value === 'number') writeNumber(writer, value);
  else {
    const array = writer.open(VALUE.array);
    for (const one of value) {
      const any = writer.open(ARRAY.values);
      writer.textAlways(VALUE.text, one);
      writer.close(any);
    }
    writer.close(array);
  }
}

function writeNumber(writer: Writer, value: number): void {
  if (Number.isSafeInteger(value)) writer.intAlways(VALUE.int, value);
  else writer.double(VALUE.double, value);
}
