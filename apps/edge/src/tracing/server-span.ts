// Spans that requests to models and to MCP servers have alike.

import { formatUsd } from '@tollgate/contracts';
import type { Subject__Output } from '@tollgate/contracts/node';
import type { FinishedSpan, SpanAttributes } from '@tollgate/kit/tracing';

import type { EndedTrace } from '../exchange/request-trace';
import { ERROR_TYPE, HTTP } from './conventions';

/** The end of a request, by both clocks. */
export interface EndedAt {
  /** Monotonic milliseconds. */
  readonly nowMs: number;
  /** Milliseconds since 1970. */
  readonly wallMs: number;
}

export function endedNow(clocks: {
  readonly nowMs: () => number;
  readonly wallMs: () => number;
}): EndedAt {
  return { nowMs: clocks.nowMs(), wallMs: clocks.wallMs() };
}

interface ServerParts {
  readonly name: string;
  /** Template of the path. */
  readonly route: string;
  readonly ending: {
    readonly outcome: string;
    readonly httpStatus: number;
    readonly errorCode: string;
  };
  readonly attributes: SpanAttributes;
}

/** Whether policy knows the key: whoever has none cannot have anything traced. */
export function isKnownKey(
  { allow, denial, used }: { allow: unknown; denial: unknown; used: boolean },
  errorCode: string,
): boolean {
  return allow !== undefined || used || (denial !== undefined && errorCode !== 'invalid_api_key');
}

interface Answering {
  readonly req: { readonly url?: string | undefined; readonly method?: string | undefined };
  readonly requestId: string;
  readonly clientRequestId: string;
  readonly startedMs: number;
}

const PATH_CHARACTERS = 256;

/** The request itself, from its arrival to its end. */
export function serverSpan(
  ended: EndedAt,
  exchange: Answering,
  trace: EndedTrace,
  { attributes, ending, name, route }: ServerParts,
): FinishedSpan {
  const { clientRequestId, req, requestId, startedMs } = exchange;
  const { errorCode, httpStatus, outcome } = ending;
  const endMs = ended.wallMs;
  const [path = ''] = (req.url ?? '').split('?', 1);
  // A refusal of the client's request is no error of the server.
  const failed = httpStatus >= 500 || outcome === 'PARTIAL';
  return {
    name,
    kind: 'SERVER',
    spanId: trace.spanId,
    parentSpanId: trace.parentSpanId,
    startMs: endMs - (ended.nowMs - startedMs),
    endMs,
    attributes: [
      [HTTP.method, req.method],
      [HTTP.route, route],
      [HTTP.path, path.slice(0, PATH_CHARACTERS)],
      [HTTP.scheme, 'http'],
      [HTTP.status, httpStatus || undefined],
      [ERROR_TYPE, errorCode || undefined],
      ['tollgate.request.id', requestId],
      ['tollgate.client_request.id', clientRequestId || undefined],
      ['tollgate.outcome', outcome],
      ['tollgate.guardrail.left_out', trace.screeningLeftOut || undefined],
      ...attributes,
    ],
    error: failed ? errorCode || outcome : undefined,
    link: trace.link && { traceId: trace.link.traceId, spanId: trace.link.spanId },
  };
}

export function subjectAttributes(subject: Subject__Output | undefined): SpanAttributes {
  if (!subject) return [];
  return [
    ['tollgate.organisation.id', subject.organisationId],
    ['tollgate.team.id', subject.teamId || undefined],
    ['tollgate.user.id', subject.userId || undefined],
    ['tollgate.api_key.id', subject.apiKeyId],
  ];
}

/** The steps within the gateway. */
export function stepSpans(
  { nowMs, wallMs }: EndedAt,
  { spanId: requestSpanId, steps }: EndedTrace,
): FinishedSpan[] {
  const offsetMs = wallMs - nowMs;
  return steps.map(({ endMs, parentSpanId, startMs, ...step }) => ({
    ...step,
    parentSpanId: parentSpanId || requestSpanId,
    startMs: startMs + offsetMs,
    endMs: endMs + offsetMs,
  }));
}

export function costAttributes(nanoUsd: bigint): SpanAttributes {
  return [
    ['tollgate.cost_usd', Number(formatUsd(nanoUsd))],
    ['tollgate.cost_nano_usd', nanoUsd.toString()],
  ];
}
