// The spans of a request to a model, built from what its record is made of.

import { tokensIn, tokensOut, type TokenUsage } from '@tollgate/contracts';
import type { Attempt, Candidate__Output } from '@tollgate/contracts/node';
import {
  newSpanId,
  type FinishedSpan,
  type FinishedTrace,
  type SpanAttributes,
} from '@tollgate/kit/tracing';

import type { Exchange } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import type { EndedTrace, RequestTrace } from '../exchange/request-trace';
import type { NormalisedRequest } from '../formats';
import type { Job } from '../operations';
import { contentAttributes } from './content';
import { ERROR_TYPE, GEN_AI, HTTP, operationName, providerName } from './conventions';
import {
  costAttributes,
  endedNow,
  isKnownKey,
  serverSpan,
  stepSpans,
  subjectAttributes,
  type EndedAt,
} from './server-span';

/** Hands over what the trace of the request is built of. Nothing happens if it is not traced. */
export function endTrace(
  gateway: Pick<Gateway, 'nowMs' | 'wallMs' | 'tracing'>,
  exchange: Exchange,
): void {
  const { ending, trace } = exchange;
  const { tracing } = gateway;
  if (!trace || !tracing || (trace.asked && !isKnownKey(exchange, ending.errorCode))) return;
  const facts = factsOf(endedNow(gateway), exchange, trace);
  // Texts are large, and the room that they took is given back when the request ends.
  if (facts.content) tracing.add(modelTrace(facts));
  else tracing.addLater(() => modelTrace(facts));
}

/**
 * What a trace is built of, which nothing changes any more. It holds neither the body nor the answer, whose memory is
 * given back by then.
 */
type Facts = Pick<
  Exchange,
  'allow' | 'attempts' | 'clientRequestId' | 'ending' | 'requestId' | 'route' | 'startedMs'
> & {
  readonly ended: EndedAt;
  readonly trace: EndedTrace;
  readonly req: { readonly url: string | undefined; readonly method: string | undefined };
  readonly model: string | undefined;
  readonly options: CallOptions | undefined;
  readonly screened: string | undefined;
  /** The attempt whose answer the client got. */
  readonly answering: Attempt | undefined;
  /** Texts, for organisations that want them. */
  readonly content: SpanAttributes | undefined;
};

type CallOptions = Pick<Job, 'choices' | 'stream'> & {
  readonly conversationId: string | undefined;
  readonly sampling: NormalisedRequest['sampling'] | undefined;
};

function factsOf(ended: EndedAt, exchange: Exchange, trace: RequestTrace): Facts {
  const { job, req } = exchange;
  return {
    ended,
    // A check that goes on after a refusal notes its step later.
    trace: {
      traceId: trace.traceId,
      spanId: trace.spanId,
      parentSpanId: trace.parentSpanId,
      state: trace.state,
      link: trace.link,
      steps: [...trace.steps],
      attempts: trace.attempts,
      screeningLeftOut: trace.screeningLeftOut,
    },
    req: { url: req.url, method: req.method },
    model: exchange.chosenModel ?? job?.model,
    options: job && {
      choices: job.choices,
      conversationId: job.conversationId,
      stream: job.stream,
      sampling: job.request?.sampling,
    },
    screened: exchange.screening?.evidence() || undefined,
    answering: exchange.answer?.attempt,
    content:
      trace.content && exchange.attempts.length > 0 ? contentAttributes(exchange) : undefined,
    allow: exchange.allow,
    attempts: exchange.attempts,
    clientRequestId: exchange.clientRequestId,
    ending: exchange.ending,
    requestId: exchange.requestId,
    route: exchange.route,
    startedMs: exchange.startedMs,
  };
}

function modelTrace(facts: Facts): FinishedTrace {
  const { ended, ending, req, route, trace } = facts;
  const server = serverSpan(ended, facts, trace, {
    name: `${req.method ?? 'POST'} ${route.path}`,
    route: route.path,
    ending,
    attributes: requestAttributes(facts),
  });
  return {
    traceId: trace.traceId,
    state: trace.state,
    spans: [server, ...stepSpans(ended, trace), ...attemptSpans(facts, server)],
  };
}

function requestAttributes({ allow, attempts, ending, model, screened }: Facts): SpanAttributes {
  return [
    ...subjectAttributes(allow?.subject ?? undefined),
    ['tollgate.model', model],
    ['tollgate.held_nano_usd', allow?.heldNanoUsd || undefined],
    ...costAttributes(ending.costNanoUsd),
    ['tollgate.usage_quality', allow ? ending.quality : undefined],
    ['tollgate.routing.strategy', allow?.routing?.strategy || undefined],
    ['tollgate.attempts', attempts.length],
    ['tollgate.soft_exceeded', allow?.softExceeded.length ? allow.softExceeded : undefined],
    ['tollgate.screening', screened],
  ];
}

function attemptSpans(facts: Facts, server: FinishedSpan): FinishedSpan[] {
  const { allow, answering, attempts, content, route, trace } = facts;
  const candidates = allow?.candidates ?? [];
  // Of several attempts one has the texts, which all of them would repeat.
  const telling = answering ?? attempts.at(-1);
  return attempts.map((attempt, at): FinishedSpan => {
    const candidate = candidates.find(({ modelId }) => modelId === attempt.modelId);
    const startMs = Math.max(server.startMs, Number(attempt.startedAtMs ?? 0));
    const outcome = attempt.outcome || 'ABORTED';
    const operation = operationName(route.operation);
    return {
      name: `${operation} ${candidate?.upstreamModel ?? attempt.upstreamModel ?? ''}`.trim(),
      kind: 'CLIENT',
      spanId: trace.attempts.get(attempt) ?? newSpanId(),
      parentSpanId: trace.spanId,
      startMs,
      endMs: startMs + Number(attempt.latencyMs ?? 0),
      attributes: [
        [GEN_AI.operation, operation],
        ...(candidate ? candidateAttributes(facts, candidate) : []),
        ...attemptAttributes(attempt),
        ...(answering === attempt ? answerAttributes(facts, server, startMs) : []),
        ...(telling === attempt && content ? content : []),
        ['tollgate.attempt', at + 1],
        ['tollgate.fallback_reason', attempts[at - 1]?.outcome || undefined],
        [ERROR_TYPE, outcome === 'OK' ? undefined : outcome],
      ],
      error: outcome === 'OK' ? undefined : outcome,
    };
  });
}

function candidateAttributes({ options }: Facts, candidate: Candidate__Output): SpanAttributes {
  const sampling = options?.sampling;
  return [
    [GEN_AI.provider, providerName(candidate)],
    [GEN_AI.requestModel, candidate.upstreamModel],
    [GEN_AI.requestStream, options?.stream || undefined],
    [GEN_AI.choices, options && options.choices > 1 ? options.choices : undefined],
    [GEN_AI.maxTokens, candidate.maxOutputTokens || undefined],
    [GEN_AI.temperature, sampling?.temperature],
    [GEN_AI.topP, sampling?.topP],
    [GEN_AI.topK, sampling?.topK],
    // A longer one is no number here, and would not be one in a trace.
    [GEN_AI.seed, typeof sampling?.seed === 'number' ? sampling.seed : undefined],
    [GEN_AI.presencePenalty, sampling?.presencePenalty],
    [GEN_AI.frequencyPenalty, sampling?.frequencyPenalty],
    [GEN_AI.conversation, options?.conversationId || undefined],
    ['tollgate.provider.type', candidate.providerType],
  ];
}

function attemptAttributes(attempt: Attempt): SpanAttributes {
  return [
    [GEN_AI.responseModel, attempt.upstreamModel || undefined],
    [HTTP.status, attempt.httpStatus || undefined],
    ...(attempt.usage ? usageAttributes(attempt.usage as TokenUsage) : []),
    ...costAttributes(BigInt(attempt.costNanoUsd || 0)),
    ['tollgate.provider.id', attempt.providerId],
    ['tollgate.model.id', attempt.modelId],
    ['tollgate.hedge', attempt.hedge || undefined],
    ['tollgate.upstream_request.id', attempt.upstreamRequestId || undefined],
  ];
}

/** Here the classes of input are disjoint; in the conventions the input includes what came from the cache. */
function usageAttributes(usage: TokenUsage): SpanAttributes {
  return [
    [GEN_AI.inputTokens, tokensIn(usage)],
    [GEN_AI.outputTokens, tokensOut(usage)],
    [GEN_AI.cacheRead, usage.cacheRead || undefined],
    [GEN_AI.cacheWrite, usage.cacheWrite5m + usage.cacheWrite1h || undefined],
    [GEN_AI.reasoning, usage.reasoning || undefined],
  ];
}

function answerAttributes(
  { ending, options }: Facts,
  server: FinishedSpan,
  startMs: number,
): SpanAttributes {
  const firstMs = server.startMs + ending.firstTokenMs - startMs;
  return [
    [GEN_AI.responseId, ending.responseId || undefined],
    [GEN_AI.finishReasons, ending.stopReason === '' ? undefined : [ending.stopReason]],
    [
      GEN_AI.firstChunk,
      options?.stream && ending.firstTokenMs > 0 ? Math.max(0, firstMs) / 1_000 : undefined,
    ],
  ];
}
