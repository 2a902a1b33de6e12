// What a receiver reads of OTLP, in JSON and in protobuf, without the sender's code.

export type AttributeValue = string | number | boolean | AttributeValue[] | null;

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  traceState: string;
  name: string;
  /** 1 INTERNAL, 2 SERVER, 3 CLIENT. */
  kind: number;
  startNano: bigint;
  endNano: bigint;
  attributes: Record<string, AttributeValue>;
  /** 0 unset, 2 error. */
  statusCode: number;
  links: { traceId: string; spanId: string }[];
  resource: Record<string, AttributeValue>;
  schemaUrl: string;
}

interface JsonValue {
  stringValue?: string;
  boolValue?: boolean;
  intValue?: string | number;
  doubleValue?: number;
  arrayValue?: { values?: JsonValue[] };
}
type JsonAttributes = { key: string; value: JsonValue }[];

interface JsonSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes?: JsonAttributes;
  status?: { code?: number };
  links?: { traceId: string; spanId: string }[];
}

interface JsonRequest {
  resourceSpans?: {
    resource?: { attributes?: JsonAttributes };
    scopeSpans?: { schemaUrl?: string; spans?: JsonSpan[] }[];
  }[];
}

export function spansInJson(text: string): ReceivedSpan[] {
  const { resourceSpans = [] } = JSON.parse(text) as JsonRequest;
  return resourceSpans.flatMap(({ resource, scopeSpans = [] }) =>
    scopeSpans.flatMap(({ schemaUrl = '', spans = [] }) =>
      spans.map((span) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        traceState: span.traceState ?? '',
        name: span.name,
        kind: span.kind,
        startNano: BigInt(span.startTimeUnixNano),
        endNano: BigInt(span.endTimeUnixNano),
        attributes: attributesOf(span.attributes),
        statusCode: span.status?.code ?? 0,
        links: (span.links ?? []).map(({ spanId, traceId }) => ({ traceId, spanId })),
        resource: attributesOf(resource?.attributes),
        schemaUrl,
      })),
    ),
  );
}

function attributesOf(attributes: JsonAttributes = []): Record<string, AttributeValue> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, jsonValue(value)]));
}

function jsonValue(value: JsonValue): AttributeValue {
  if (value.intValue !== undefined) return Number(value.intValue);
  if (value.arrayValue) return (value.arrayValue.values ?? []).map(jsonValue);
  return value.stringValue ?? value.boolValue ?? value.doubleValue ?? null;
}

/** A message as its fields by number, each with all its values. */
type Fields = Map<number, (bigint | Buffer)[]>;

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

function readMessage(bytes: Buffer): Fields {
  const fields: Fields = new Map();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at];
      if (byte === undefined) throw new Error('a varint ends early');
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new Error('a field ends early');
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const wire = tag & 7;
    let value: bigint | Buffer;
    if (wire === VARINT) value = varint();
    else if (wire === FIXED64) value = take(8);
    else if (wire === FIXED32) value = take(4);
    else if (wire === BYTES) value = take(Number(varint()));
    else throw new Error(`no such wire type: ${wire}`);
    const number = tag >> 3;
    fields.set(number, [...(fields.get(number) ?? []), value]);
  }
  return fields;
}

const bytesOf = (fields: Fields, number: number): Buffer[] =>
  (fields.get(number) ?? []).filter((value) => Buffer.isBuffer(value));
const messages = (fields: Fields, number: number) => bytesOf(fields, number).map(readMessage);
const text = (fields: Fields, number: number) => bytesOf(fields, number)[0]?.toString() ?? '';
const hex = (fields: Fields, number: number) => bytesOf(fields, number)[0]?.toString('hex') ?? '';
const nano = (fields: Fields, number: number) =>
  bytesOf(fields, number)[0]?.readBigUInt64LE() ?? 0n;
const int = (fields: Fields, number: number) => Number(fields.get(number)?.[0] ?? 0);

/** By the field numbers of opentelemetry/proto/trace/v1/trace.proto. */
export function spansInProtobuf(bytes: Buffer): ReceivedSpan[] {
  return messages(readMessage(bytes), 1).flatMap((resourceSpans) => {
    const resource = messages(resourceSpans, 1)[0] ?? new Map();
    return messages(resourceSpans, 2).flatMap((scopeSpans) =>
      messages(scopeSpans, 2).map((span) => ({
        traceId: hex(span, 1),
        spanId: hex(span, 2),
        traceState: text(span, 3),
        parentSpanId: hex(span, 4),
        name: text(span, 5),
        kind: int(span, 6),
        startNano: nano(span, 7),
        endNano: nano(span, 8),
        attributes: protobufAttributes(span, 9),
        links: messages(span, 13).map((link) => ({ traceId: hex(link, 1), spanId: hex(link, 2) })),
        statusCode: int(messages(span, 15)[0] ?? new Map(), 3),
        resource: protobufAttributes(resource, 1),
        schemaUrl: text(scopeSpans, 3),
      })),
    );
  });
}

function protobufAttributes(fields: Fields, number: number): Record<string, AttributeValue> {
  const pairs = messages(fields, number).map((pair): [string, AttributeValue] => [
    text(pair, 1),
    protobufValue(messages(pair, 2)[0] ?? new Map()),
  ]);
  return Object.fromEntries(pairs);
}

function protobufValue(value: Fields): AttributeValue {
  if (value.has(1)) return text(value, 1);
  if (value.has(2)) return value.get(2)?.[0] === 1n;
  if (value.has(3)) return int(value, 3);
  if (value.has(4)) return bytesOf(value, 4)[0]?.readDoubleLE() ?? null;
  const [list] = messages(value, 5);
  return list ? messages(list, 1).map(protobufValue) : null;
}
