// Our requests have the same fields as those of OpenTelemetry's own encoders.

import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import fc from 'fast-check';

import { createOtlpEncoder } from './otlp-encoder';
import type { FinishedSpan, FinishedTrace, SpanValue } from './span';

const SOURCE = {
  resource: { 'service.name': 'tollgate-edge', 'deployment.environment.name': 'prüfung' },
  scope: { name: 'tollgate', version: '0.1.0', schemaUrl: 'https://example.com/schemas/1' },
};

const hex = (digits: number) =>
  fc.string({
    unit: fc.constantFrom(...'0123456789abcdef'.split('')),
    minLength: digits,
    maxLength: digits,
  });
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  // More than the writer's first buffer, and lengths of three bytes.
  fc.constantFrom('é'.repeat(50_000), 'x'.repeat(20_000)),
);
const value: fc.Arbitrary<SpanValue | undefined> = fc.oneof(
  text,
  fc.boolean(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Number.isInteger(number)),
  fc.array(text, { maxLength: 20 }),
  fc.constant(undefined),
);
const attributes = fc.uniqueArray(
  fc.tuple(
    text.map((name) => `a.${name}`),
    value,
  ),
  {
    selector: ([name]) => name,
  },
);
const link = fc.option(fc.record({ traceId: hex(32), spanId: hex(16) }), { nil: undefined });
const span: fc.Arbitrary<FinishedSpan> = fc.record({
  name: text,
  kind: fc.constantFrom('INTERNAL', 'SERVER', 'CLIENT'),
  spanId: hex(16),
  parentSpanId: fc.oneof(fc.constant(''), hex(16)),
  startMs: fc.double({ min: 0, max: 4e12, noNaN: true }),
  endMs: fc.double({ min: 0, max: 4e12, noNaN: true }),
  attributes,
  error: fc.option(text, { nil: undefined }),
  link,
});
const trace: fc.Arbitrary<FinishedTrace> = fc.record({
  traceId: hex(32),
  state: fc.constantFrom('', 'vendor=1,other=x'),
  spans: fc.array(span, { minLength: 1, maxLength: 4 }),
});

/** The same spans, as OpenTelemetry's encoders take them. */
function readable(traces: readonly FinishedTrace[]): never {
  const resource = { attributes: SOURCE.resource, schemaUrl: SOURCE.scope.schemaUrl };
  const spans = traces.flatMap(({ spans: own, state, traceId }) =>
    own.map((one, at) => {
      const context = (spanId: string, isRemote?: boolean) => ({
        traceId,
        spanId,
        traceFlags: 1,
        isRemote,
        traceState: state === '' ? undefined : { serialize: () => state },
      });
      return {
        name: one.name,
        kind: ['INTERNAL', 'SERVER', 'CLIENT'].indexOf(one.kind),
        spanContext: () => context(one.spanId),
        parentSpanContext:
          one.parentSpanId === '' ? undefined : context(one.parentSpanId, at === 0),
        startTime: timeOf(one.startMs),
        endTime: timeOf(one.endMs),
        status: one.error === undefined ? { code: 0 } : { code: 2, message: one.error },
        attributes: Object.fromEntries(one.attributes.filter(([, of]) => of !== undefined)),
        links: one.link ? [{ context: { ...one.link, traceFlags: 1, isRemote: true } }] : [],
        events: [],
        droppedAttributesCount: 0,
        droppedEventsCount: 0,
        droppedLinksCount: 0,
        resource,
        instrumentationScope: SOURCE.scope,
      };
    }),
  );
  return spans as never;
}

function timeOf(ms: number): [number, number] {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1_000_000)];
}

/** Without fields that have their default, and with those of each message in one order. */
function simplified(json: unknown, within = ''): unknown {
  if (Array.isArray(json)) return json.map((one) => simplified(one));
  if (typeof json !== 'object' || json === null) return json;
  // Both are allowed for 64 bits: a text, and a number.
  const fields = Object.entries(json).map(
    ([name, of]) => [name, name === 'intValue' ? String(of) : simplified(of, name)] as const,
  );
  return Object.fromEntries(
    fields.filter(
      ([name, of]) =>
        // A resource has no such field; their encoder writes it into JSON all the same.
        !(within === 'resource' && name === 'schemaUrl') &&
        !(name.startsWith('dropped') && of === 0) &&
        !(name === 'code' && of === 0) &&
        !(name === 'message' && of === '') &&
        !(['links', 'events', 'attributes'].includes(name) && String(of) === '') &&
        !(name === 'status' && JSON.stringify(of) === '{}'),
    ),
  );
}

type Field = readonly [number: number, value: string | readonly Field[]];
/** Of the messages that hold others, by where they are: the tags on the way to them. */
const NESTED = /^\.1(\.1(\.1(\.2)?)?|\.2(\.1|\.2(\.(9(\.2(\.5(\.1)?)?)?|13|15))?)?)?$/;

/** The fields of a message in the order of their numbers; those of one number stay in theirs. */
function fieldsOf(bytes: Buffer, path = ''): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = (): bigint => {
    let read = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at] ?? 0;
      at += 1;
      read |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return read;
    }
  };
  const take = (length: number): Buffer => bytes.subarray(at, (at += length));
  while (at < bytes.length) {
    const tag = Number(varint());
    const [number, type] = [tag >> 3, tag & 7];
    const here = `${path}.${String(number)}`;
    if (type === 0) fields.push([number, String(varint())]);
    else if (type === 2) {
      const inner = take(Number(varint()));
      fields.push([number, NESTED.test(here) ? fieldsOf(inner, here) : inner.toString('hex')]);
    } else fields.push([number, take(type === 1 ? 8 : 4).toString('hex')]);
  }
  return fields.toSorted(([a], [b]) => a - b).filter((field) => !isDefault(path, field));
}

const RESOURCE_PATH = '.1.1';
const SPAN_PATH = '.1.2.2';

/** The other encoder writes counts of nothing, and statuses that say nothing. */
function isDefault(path: string, [number, of]: Field): boolean {
  if (path === RESOURCE_PATH) return number === 2;
  if (path === SPAN_PATH) return ([10, 12, 14].includes(number) && of === '0') || of.length === 0;
  if (path === `${SPAN_PATH}.13`) return number === 5;
  return path === `${SPAN_PATH}.15` && (of === '0' || of.length === 0);
}

test('a request in protocol buffers has the fields of OpenTelemetry', () => {
  const encoder = createOtlpEncoder('http/protobuf', SOURCE);
  fc.assert(
    fc.property(fc.array(trace, { minLength: 1, maxLength: 3 }), (traces) => {
      const ours = encoder.request(traces.map((one) => encoder.trace(one)));
      const theirs = ProtobufTraceSerializer.serializeRequest(readable(traces));
      expect(fieldsOf(Buffer.from(ours))).toEqual(fieldsOf(Buffer.from(theirs ?? [])));
    }),
  );
});

test('a request in JSON has the fields of OpenTelemetry', () => {
  const encoder = createOtlpEncoder('http/json', SOURCE);
  const parsed = (bytes: Uint8Array | undefined) =>
    simplified(JSON.parse(Buffer.from(bytes ?? []).toString()));
  fc.assert(
    fc.property(fc.array(trace, { minLength: 1, maxLength: 3 }), (traces) => {
      const ours = encoder.request(traces.map((one) => encoder.trace(one)));
      expect(parsed(ours)).toEqual(parsed(JsonTraceSerializer.serializeRequest(readable(traces))));
    }),
  );
});
