import { formatUsd } from '@tollgate/contracts';
import type { Answer } from '../pipeline/attempt';
import { chargeFor } from '../pipeline/charge';
import type { Exchange } from '../pipeline/exchange';
import type { Gateway } from '../pipeline/gateway';
import { answerHeaders } from './answer-headers';

/** Sends a whole answer, with what it cost in its headers. */
export function replyUnary(
  gateway: Gateway,
  exchange: Exchange,
  answer: Extract<Answer, { kind: 'unary' }>,
): void {
  const { ending, res } = exchange;
  const { answered, attempt, candidate } = answer;
  const { body, report } = answered;
  const charge = chargeFor(candidate, report);
  if (attempt) {
    attempt.usage = charge.usage;
    attempt.costNanoUsd = charge.costNanoUsd.toString();
  }
  Object.assign(ending, charge, {
    outcome: 'COMPLETED',
    httpStatus: 200,
    candidate,
    stopReason: report.rawStopReason ?? report.stopReason ?? '',
    responseId: report.responseId ?? '',
    upstreamRequestId: attempt?.upstreamRequestId ?? '',
    firstTokenMs: Math.round(gateway.nowMs() - exchange.startedMs),
  });
  if (exchange.clientGone) {
    // The provider has done and billed the work all the same.
    ending.outcome = 'CLIENT_CLOSED';
    ending.httpStatus = 499;
    return;
  }
  const payload = Buffer.isBuffer(body) ? body : body(charge.usage);
  res.writeHead(200, {
    ...answerHeaders(gateway, exchange, answer, charge.costNanoUsd),
    'x-tollgate-cost-usd': formatUsd(charge.costNanoUsd),
    ...answered.headers,
    'content-type': answered.contentType,
    'content-length': Buffer.byteLength(payload),
  });
  res.end(payload);
}
