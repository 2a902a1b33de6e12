// W3C trace context: which trace a request belongs to, as it travels in `traceparent` and `tracestate`.

import { randomFillSync } from 'node:crypto';

export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Whoever sent it records its own part of the trace. */
  readonly sampled: boolean;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);
/** Later versions may add fields at the end. */
const VERSION = '00';
const NO_VERSION = 'ff';
/** A longer one is not read. */
const TRACEPARENT_CHARACTERS = 256;
const SAMPLED = 1;

/** Undefined: it is not a `traceparent`. */
export function parseTraceparent(text: unknown): TraceContext | undefined {
  if (typeof text !== 'string' || text.length > TRACEPARENT_CHARACTERS) return undefined;
  const [, version, traceId = NO_TRACE, spanId = NO_SPAN, flags = '', more] =
    TRACEPARENT.exec(text) ?? [];
  if (traceId === NO_TRACE || spanId === NO_SPAN || version === NO_VERSION) return undefined;
  if (version === VERSION && more !== undefined) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

export function formatTraceparent({ traceId, spanId, sampled }: TraceContext): string {
  return `${VERSION}-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}

/** Vendors' own entries, which are passed on as they are. */
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;

/** Empty: there is none, or it cannot be passed on. */
export function readTracestate(text: unknown): string {
  return typeof text === 'string' && TRACESTATE.test(text) ? text : '';
}

const SPAN_ID_BYTES = 8;
// Random bytes are drawn in blocks: a system call per id would cost more than the id.
const pool = Buffer.alloc(2_048);
let used = pool.length;

export function newSpanId(): string {
  for (;;) {
    if (used + SPAN_ID_BYTES > pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    const id = pool.toString('hex', used, used + SPAN_ID_BYTES);
    used += SPAN_ID_BYTES;
    if (id !== NO_SPAN) return id;
  }
}

const TRACE_BYTES = 25;
const SPAN_AT = 16;
const FLAGS_AT = 24;

/** 16 bytes of trace id, 8 of span id, one of flags: how services of the gateway tell each other. */
export function packTrace({ traceId, spanId, sampled }: TraceContext): Buffer {
  return Buffer.from(traceId + spanId + (sampled ? '01' : '00'), 'hex');
}

/** Undefined: there is none. */
export function unpackTrace(bytes: Buffer): TraceContext | undefined {
  if (bytes.length !== TRACE_BYTES) return undefined;
  return {
    traceId: bytes.toString('hex', 0, SPAN_AT),
    spanId: bytes.toString('hex', SPAN_AT, FLAGS_AT),
    sampled: ((bytes[FLAGS_AT] ?? 0) & SAMPLED) === SAMPLED,
  };
}
