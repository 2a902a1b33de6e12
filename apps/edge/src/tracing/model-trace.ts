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
import type { RequestTrace } from '../exchange/request-trace';
import { contentAttributes } from './content';
import { ERROR_TYPE, GEN_AI, HTTP, operationName, providerName } from './conventions';
import {
  costAttributes,
  isKnownKey,
  serverSpan,
  stepSpans,
  subjectAttributes,
  type Clocks,
} from './server-span';

/** Undefined: the request is not traced. */
export function modelTrace(clocks: Clocks, exchange: Exchange): FinishedTrace | undefined {
  const { ending, req, route, trace } = exchange;
  if (!trace || (trace.asked && !isKnownKey(exchange, ending.errorCode))) return undefined;
  const server = serverSpan(clocks, exchange, trace, {
    name: `${req.method ?? 'POST'} ${route.path}`,
    route: route.path,
    ending,
    attributes: requestAttributes(exchange),
  });
  return {
    traceId: trace.traceId,
    state: trace.state,
    spans: [server, ...stepSpans(clocks, trace), ...attemptSpans(exchange, trace, server)],
  };
}

function requestAttributes(exchange: Exchange): SpanAttributes {
  const { allow, attempts, ending, job } = exchange;
  return {
    ...subjectAttributes(allow?.subject ?? undefined),
    'tollgate.model': exchange.chosenModel ?? job?.model,
    'tollgate.held_nano_usd': allow?.heldNanoUsd || undefined,
    ...costAttributes(ending.costNanoUsd),
    'tollgate.usage_quality': allow ? ending.quality : undefined,
    'tollgate.routing.strategy': allow?.routing?.strategy || undefined,
    'tollgate.attempts': attempts.length,
    'tollgate.soft_exceeded': allow?.softExceeded.length ? allow.softExceeded : undefined,
    'tollgate.screening': exchange.screening?.evidence() || undefined,
  };
}

function attemptSpans(exchange: Exchange, trace: RequestTrace, server: FinishedSpan) {
  const candidates = exchange.allow?.candidates ?? [];
  // Of several attempts one has the texts, which all of them would repeat.
  const telling = exchange.answer?.attempt ?? exchange.attempts.at(-1);
  return exchange.attempts.map((attempt, at): FinishedSpan => {
    const candidate = candidates.find(({ modelId }) => modelId === attempt.modelId);
    const startMs = Math.max(server.startMs, Number(attempt.startedAtMs ?? 0));
    const outcome = attempt.outcome || 'ABORTED';
    const operation = operationName(exchange.route.operation);
    return {
      name: `${operation} ${candidate?.upstreamModel ?? attempt.upstreamModel ?? ''}`.trim(),
      kind: 'CLIENT',
      spanId: trace.attempts.get(attempt) ?? newSpanId(),
      parentSpanId: trace.spanId,
      startMs,
      endMs: startMs + Number(attempt.latencyMs ?? 0),
      attributes: {
        [GEN_AI.operation]: operation,
        ...(candidate && candidateAttributes(exchange, candidate)),
        ...attemptAttributes(attempt),
        ...(exchange.answer?.attempt === attempt && answerAttributes(exchange, server, startMs)),
        ...(telling === attempt && contentAttributes(exchange)),
        'tollgate.attempt': at + 1,
        'tollgate.fallback_reason': exchange.attempts[at - 1]?.outcome || undefined,
        [ERROR_TYPE]: outcome === 'OK' ? undefined : outcome,
      },
      error: outcome === 'OK' ? undefined : outcome,
    };
  });
}

function candidateAttributes({ job }: Exchange, candidate: Candidate__Output): SpanAttributes {
  const sampling = job?.request?.sampling;
  return {
    [GEN_AI.provider]: providerName(candidate),
    [GEN_AI.requestModel]: candidate.upstreamModel,
    [GEN_AI.requestStream]: job?.stream || undefined,
    [GEN_AI.choices]: job && job.choices > 1 ? job.choices : undefined,
    [GEN_AI.maxTokens]: candidate.maxOutputTokens || undefined,
    [GEN_AI.temperature]: sampling?.temperature,
    [GEN_AI.topP]: sampling?.topP,
    [GEN_AI.topK]: sampling?.topK,
    [GEN_AI.seed]: sampling?.seed === undefined ? undefined : Number(sampling.seed),
    [GEN_AI.presencePenalty]: sampling?.presencePenalty,
    [GEN_AI.frequencyPenalty]: sampling?.frequencyPenalty,
    [GEN_AI.conversation]: job?.conversationId || undefined,
    'tollgate.provider.type': candidate.providerType,
  };
}

function attemptAttributes(attempt: Attempt): SpanAttributes {
  return {
    [GEN_AI.responseModel]: attempt.upstreamModel || undefined,
    [HTTP.status]: attempt.httpStatus || undefined,
    ...(attempt.usage && usageAttributes(attempt.usage as TokenUsage)),
    ...costAttributes(BigInt(attempt.costNanoUsd || 0)),
    'tollgate.provider.id': attempt.providerId,
    'tollgate.model.id': attempt.modelId,
    'tollgate.hedge': attempt.hedge || undefined,
    'tollgate.upstream_request.id': attempt.upstreamRequestId || undefined,
  };
}

/** Here the classes of input are disjoint; in the conventions the input includes what came from the cache. */
function usageAttributes(usage: TokenUsage): SpanAttributes {
  return {
    [GEN_AI.inputTokens]: tokensIn(usage),
    [GEN_AI.outputTokens]: tokensOut(usage),
    [GEN_AI.cacheRead]: usage.cacheRead || undefined,
    [GEN_AI.cacheWrite]: usage.cacheWrite5m + usage.cacheWrite1h || undefined,
    [GEN_AI.reasoning]: usage.reasoning || undefined,
  };
}

function answerAttributes(
  { ending, job }: Exchange,
  server: FinishedSpan,
  startMs: number,
): SpanAttributes {
  const firstMs = server.startMs + ending.firstTokenMs - startMs;
  return {
    [GEN_AI.responseId]: ending.responseId || undefined,
    [GEN_AI.finishReasons]: ending.stopReason === '' ? undefined : [ending.stopReason],
    [GEN_AI.firstChunk]:
      job?.stream && ending.firstTokenMs > 0 ? Math.max(0, firstMs) / 1_000 : undefined,
  };
}
