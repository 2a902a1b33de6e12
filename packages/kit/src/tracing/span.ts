// Finished spans as plain values: they are built when a request has ended, and turned into OpenTelemetry's
// on the thread that sends them.

export type SpanValue = string | number | boolean | readonly string[];
/** Undefined values are left out. */
export type SpanAttributes = Readonly<Record<string, SpanValue | undefined>>;

/** By OpenTelemetry's numbers. */
export const SPAN_KINDS = { INTERNAL: 0, SERVER: 1, CLIENT: 2 } as const;
export type SpanKind = keyof typeof SPAN_KINDS;

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

/** A batch for the thread: traces as JSON, and whether the last spans of the process are among them. */
export interface SpanBatch {
  readonly id: number;
  readonly traces: readonly string[];
}

export interface BatchSent {
  readonly id: number;
  /** Undefined: the collector took it. */
  readonly error: string | undefined;
}
