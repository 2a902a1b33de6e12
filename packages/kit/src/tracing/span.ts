// Finished spans as plain values: they are built when a request has ended, encoded, and sent by a thread.

export type SpanValue = string | number | boolean | readonly string[];
/** Names and their values; undefined: it is left out. Lists are put together faster than objects whose keys are computed. */
export type SpanAttributes = readonly (readonly [name: string, value: SpanValue | undefined])[];

export type SpanKind = 'INTERNAL' | 'SERVER' | 'CLIENT';

export interface FinishedSpan {
  readonly name: string;
  readonly kind: SpanKind;
  readonly spanId: string;
  /** Empty: the span begins its trace. */
  readonly parentSpanId: string;
  /** Milliseconds since 1970, with fractions. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: SpanAttributes;
  /** What failed; undefined: nothing. */
  readonly error?: string | undefined;
  /** Another trace that it belongs to. */
  readonly link?: { readonly traceId: string; readonly spanId: string } | undefined;
}

/** The spans of one request, the first with a parent outside of this process. */
export interface FinishedTrace {
  readonly traceId: string;
  /** Of the caller, as it came; empty: none. */
  readonly state: string;
  readonly spans: readonly FinishedSpan[];
}

/** What spans of a process are told under. */
export interface SpanScope {
  readonly name: string;
  readonly version: string;
  /** Of the semantic conventions that its attributes follow. */
  readonly schemaUrl: string;
}

/** The scope of services that use no conventions but the general ones. */
export const GENERAL_SCOPE: SpanScope = {
  name: 'tollgate',
  version: '0.1.0',
  schemaUrl: 'https://opentelemetry.io/schemas/1.45.0',
};

/** What is the same for all spans of a process. */
export interface SpanSource {
  readonly resource: Readonly<Record<string, string>>;
  readonly scope: SpanScope;
}

/** How finished spans are sent. */
export interface SendSettings extends SpanSource {
  readonly protocol: OtlpProtocol;
  /** With the path, for HTTP. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Certificate authority in PEM; undefined: the system's. */
  readonly ca: string | undefined;
}

export const OTLP_PROTOCOLS = ['http/protobuf', 'http/json', 'grpc'] as const;
export type OtlpProtocol = (typeof OTLP_PROTOCOLS)[number];

/** A batch for the thread: a request for the collector, encoded as its protocol wants it. */
export interface SpanBatch {
  readonly id: number;
  readonly request: Uint8Array;
}

export interface BatchSent {
  readonly id: number;
  /** Undefined: the collector took it. */
  readonly error: string | undefined;
  /** Spans that the collector refused of a batch that it took. */
  readonly refused: number;
}
