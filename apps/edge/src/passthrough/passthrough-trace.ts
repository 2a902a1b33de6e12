// The spans of a request that goes to a provider as it is.

import { PASSTHROUGH_PATH } from '@tollgate/contracts';
import type { FinishedTrace } from '@tollgate/kit/tracing';

import { HTTP } from '../tracing/conventions';
import {
  costAttributes,
  isKnownKey,
  serverSpan,
  stepSpans,
  subjectAttributes,
  type EndedAt,
} from '../tracing/server-span';
import type { PassthroughExchange } from './exchange';
import { costOf } from './settle';

/** Undefined: the request is not traced. Providers are told nothing of traces. */
export function passthroughTrace(
  ended: EndedAt,
  exchange: PassthroughExchange,
): FinishedTrace | undefined {
  const { allow, ending, req, requestBytes, trace } = exchange;
  if (!trace || (trace.asked && !isKnownKey(exchange, ending.errorCode))) return undefined;
  const rule = allow?.passthrough?.rule ?? undefined;
  const server = serverSpan(ended, exchange, trace, {
    name: `${req.method ?? ''} ${PASSTHROUGH_PATH}`.trim(),
    route: PASSTHROUGH_PATH,
    ending,
    attributes: [
      ...subjectAttributes(allow?.subject ?? undefined),
      ['tollgate.passthrough.rule', rule && `${rule.method} ${rule.path}`],
      ['tollgate.held_nano_usd', allow?.heldNanoUsd || undefined],
      ...costAttributes(costOf(exchange)),
      [HTTP.requestBytes, requestBytes],
      [HTTP.responseBytes, ending.responseBytes],
    ],
  });
  return {
    traceId: trace.traceId,
    state: trace.state,
    spans: [server, ...stepSpans(ended, trace)],
  };
}
