import { formatUsd } from '@tollgate/contracts';
import type { Answer } from '../pipeline/attempt';
import { chargeFor } from '../pipeline/charge';
import { bookAttempt, type Exchange } from '../pipeline/exchange';
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
  if (attempt) bookAttempt(attempt, candidate, charge);
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
  const costNanoUsd = charge.costNanoUsd + (exchange.beside?.costNanoUsd ?? 0n);
  const payload = Buffer.isBuffer(body) ? body : body(charge.usage);
  res.writeHead(200, {
    ...answerHeaders(gateway, exchange, answer, costNanoUsd),
    'x-tollgate-cost-usd': formatUsd(costNanoUsd),
    ...answered.headers,
    'content-type': answered.contentType,
    'content-length': Buffer.byteLength(payload),
  });
  res.end(payload);
}
