// What is noted of a request that is traced, while it runs: ids that others must know before it ends, and
// times that nothing else keeps. Its spans are built when it has ended.

import type { IncomingMessage } from 'node:http';
import type { Attempt } from '@tollgate/contracts/node';
import {
  formatTraceparent,
  newSpanId,
  packTrace,
  parseTraceparent,
  readTracestate,
  type SpanAttributes,
  type SpanKind,
  type TraceContext,
  type Tracing,
} from '@tollgate/kit/tracing';

import type { CallContent, TraceContent } from './trace-content';

/** A step of a request that took time. */
export interface TracedStep {
  readonly name: string;
  readonly spanId: string;
  /** Empty: the request itself. */
  readonly parentSpanId: string;
  readonly kind: SpanKind;
  /** What failed; undefined: nothing. */
  readonly error: string | undefined;
  /** Monotonic milliseconds. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: SpanAttributes;
}

export interface TracedCall {
  readonly spanId: string;
  /** Monotonic milliseconds. */
  readonly startMs: number;
  /** Undefined: it has no texts in its trace. */
  readonly content: CallContent | undefined;
}

export interface RequestTrace {
  readonly traceId: string;
  /** Of the request itself. */
  readonly spanId: string;
  /** Of the caller; empty: the trace begins here. */
  readonly parentSpanId: string;
  readonly state: string;
  /** Another trace of the caller: of the HTTP request that carries an MCP message. */
  readonly link: TraceContext | undefined;
  /** It is traced only because the caller asked for it. */
  readonly asked: boolean;
  readonly steps: TracedStep[];
  /** Of calls whose upstream was told. */
  readonly attempts: Map<Attempt, string>;
  /** Of the call of an MCP server, and when it began. */
  call: TracedCall | undefined;
  /** The span of the screening that runs; empty: none does. */
  screeningSpanId: string;
  /** Spans of screening that are left out, as there are too many. */
  screeningLeftOut: number;
  /** Undefined: its organisation wants no texts in traces. */
  content: TraceContent | undefined;
}

/** What the spans of a request are built of when it has ended. */
export type EndedTrace = Readonly<
  Pick<
    RequestTrace,
    | 'attempts'
    | 'link'
    | 'parentSpanId'
    | 'screeningLeftOut'
    | 'spanId'
    | 'state'
    | 'steps'
    | 'traceId'
  >
>;

/** The part of an exchange that tracing adds to. */
export interface Traced {
  readonly requestId: string;
  readonly req: IncomingMessage;
  /** The trace that the request belongs to; empty: none. */
  traceId: string;
  /** Undefined: the request is not traced. */
  trace: RequestTrace | undefined;
}

/** A trace of the caller that did not come in headers. */
export interface OtherContext {
  readonly context: TraceContext;
  readonly state: string;
}

/**
 * Decides whether the request is traced. Without a `traceparent` and outside of the sample nothing is
 * allocated. `inMessage`: what an MCP message says, which comes before the headers of its request.
 */
export function beginTrace(
  tracing: Tracing | undefined,
  exchange: Traced,
  inMessage?: OtherContext,
): void {
  const { headers } = exchange.req;
  const header = headers['traceparent'];
  const inHeader = header === undefined ? undefined : parseTraceparent(header);
  const caller = inMessage?.context ?? inHeader;
  if (caller) exchange.traceId = caller.traceId;
  if (!tracing) return;
  const { sampler } = tracing;
  const sampling = caller
    ? sampler.continued(caller.traceId, caller.sampled)
    : sampler.begun(exchange.requestId);
  if (sampling === 'no') {
    exchange.trace = undefined;
    return;
  }
  // Made of the request's id: either finds the other.
  const traceId = caller?.traceId ?? exchange.requestId.replaceAll('-', '');
  exchange.traceId = traceId;
  exchange.trace = {
    traceId,
    spanId: newSpanId(),
    parentSpanId: caller?.spanId ?? '',
    state: inMessage?.state ?? (inHeader ? readTracestate(headers['tracestate']) : ''),
    link: inMessage && inHeader && inHeader.traceId !== traceId ? inHeader : undefined,
    asked: sampling === 'caller',
    steps: [],
    attempts: new Map(),
    call: undefined,
    screeningSpanId: '',
    screeningLeftOut: 0,
    content: undefined,
  };
}

/** Begins the span that waits for policy. Undefined: the request is not traced. */
export function askingPolicy(trace: RequestTrace | undefined): PolicySpan | undefined {
  if (!trace) return undefined;
  const spanId = newSpanId();
  return { spanId, told: packTrace({ traceId: trace.traceId, spanId, sampled: true }) };
}

export interface PolicySpan {
  readonly spanId: string;
  /** For policy, whose own span is a child. */
  readonly told: Buffer;
}

/** Notes what policy decided: `allow`, or the code of the refusal. */
export function noteDecision(
  trace: RequestTrace | undefined,
  { spanId }: PolicySpan,
  decision: string,
  times: { readonly startMs: number; readonly endMs: number },
): void {
  const attributes: SpanAttributes = [['tollgate.decision', decision]];
  noteStep(trace, { name: 'authorize', spanId, ...times, attributes });
}

type NotedStep = Pick<TracedStep, 'name' | 'startMs' | 'endMs'> & Partial<TracedStep>;

/** Notes a step that has ended. */
export function noteStep(trace: RequestTrace | undefined, step: NotedStep): void {
  if (!trace) return;
  trace.steps.push({
    ...step,
    spanId: step.spanId ?? newSpanId(),
    parentSpanId: step.parentSpanId ?? '',
    kind: step.kind ?? 'INTERNAL',
    error: step.error,
    attributes: step.attributes ?? [],
  });
}

/** Begins the span that questions to services are children of. */
export function beginScreening(trace: RequestTrace | undefined): void {
  if (trace) trace.screeningSpanId = newSpanId();
}

export function endScreening(
  trace: RequestTrace | undefined,
  times: { readonly startMs: number; readonly endMs: number },
): void {
  if (!trace) return;
  noteStep(trace, { name: 'screening', spanId: trace.screeningSpanId, ...times });
  trace.screeningSpanId = '';
}

/** What an upstream is told of the span that stands for its call. */
export function traceHeaders(
  { state, traceId }: RequestTrace,
  spanId: string,
): Record<string, string> {
  const traceparent = formatTraceparent({ traceId, spanId, sampled: true });
  return state === '' ? { traceparent } : { traceparent, tracestate: state };
}

/** The headers for one attempt, whose span gets its id now. */
export function attemptHeaders(trace: RequestTrace, attempt: Attempt): Record<string, string> {
  const spanId = newSpanId();
  trace.attempts.set(attempt, spanId);
  return traceHeaders(trace, spanId);
}
