import type { GatewayError } from '@tollgate/contracts';

import { errorBody, sendError, sendVendorRefusal } from '../errors';
import type { Exchange } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import { reportRefusal, shownError } from '../exchange/refusal';
import { ClientGone } from '../intake';
import { relayedHeader } from '../reply/header-text';

/** Sends the error to the client and records it. */
export function refuse(gateway: Gateway, exchange: Exchange, error: unknown): void {
  if (error instanceof ClientGone || exchange.clientGone) return left(exchange);
  const { ending, res, format, requestId } = exchange;
  const told = shownError(gateway, exchange, error);
  ending.errorCode = told.code;
  report(gateway, exchange, told);
  ending.outcome = res.headersSent ? 'PARTIAL' : 'FAILED';
  if (!res.headersSent) {
    const { length } = exchange.attempts;
    if (length > 0) res.setHeader('x-tollgate-attempt', String(length));
    const upstreamId = exchange.attempts.at(-1)?.upstreamRequestId ?? '';
    if (upstreamId !== '') {
      res.setHeader('x-tollgate-upstream-request-id', relayedHeader(upstreamId));
    }
    const evidence = exchange.screening?.evidence() ?? '';
    if (evidence !== '') res.setHeader('x-tollgate-screening', relayedHeader(evidence));
    const { keptBodies, req, vendorRefusal } = exchange;
    if (keptBodies?.recorder) {
      const sent = vendorRefusal?.body ?? errorBody(format, told, requestId, exchange.traceId);
      keptBodies.recorder.keepWhole(sent, 'application/json');
    }
    ending.httpStatus = vendorRefusal
      ? sendVendorRefusal(req, res, vendorRefusal, { code: told.code, requestId })
      : sendError(req, res, format, told, requestId, exchange.traceId);
    return;
  }
  if (!res.writableEnded)
    res.end(format.encodeStreamError(told, { requestId, traceId: exchange.traceId }));
}

/** That of a shadow is for the comparison of its experiment, not for the key's list. */
function report(gateway: Gateway, exchange: Exchange, error: GatewayError): void {
  const { keySha256, requestId, job, denial, shadow, used } = exchange;
  if (shadow && keySha256) {
    const { experimentId: shadowExperimentId } = shadow;
    // A denial is known to policy, and a call has a record.
    if (!denial && !used) {
      const { code } = error;
      gateway.policy.refused({ keySha256, requestId, code, shadowExperimentId });
    }
    return;
  }
  reportRefusal(gateway, exchange, error, exchange.chosenModel ?? job?.model);
}

// The client disconnected, so nothing is sent. Calls under way are booked where they are given up.
function left({ ending }: Exchange): void {
  if (ending.outcome === 'CLIENT_CLOSED') return;
  ending.outcome = 'CLIENT_CLOSED';
  ending.httpStatus = 499;
}
