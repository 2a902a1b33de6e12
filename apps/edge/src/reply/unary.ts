import { formatUsd } from '@tollgate/contracts';
import type { Answer } from '../pipeline/attempt';
import { chargeFor } from '../pipeline/charge';
import { bookAttempt, type Exchange } from '../pipeline/exchange';
import type { Gateway } from '../pipeline/gateway';
import { answerHeaders } from './answer-headers';
import { countAnswer } from './count';

type UnaryAnswer = Extract<Answer, { kind: 'unary' }>;

/** Sends a whole answer, with what it cost in its headers; once it is counted, where nobody has. */
export function replyUnary(
  gateway: Gateway,
  exchange: Exchange,
  answer: UnaryAnswer,
): Promise<void> | undefined {
  const counting = countAnswer(gateway, exchange.job, answer.answered.report);
  if (counting) return counting.then(() => send(gateway, exchange, answer));
  send(gateway, exchange, answer);
  return undefined;
}

function send(gateway: Gateway, exchange: Exchange, answer: UnaryAnswer): void {
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
  // With its head in one piece, which is one call of the system less. Latin-1 is each byte as it is.
  if (Buffer.isBuffer(payload) && payload.length <= ONE_PIECE_BYTES) {
    res.end(payload.toString('latin1'), 'latin1');
  } else res.end(payload);
}

/** Beyond this, copying costs more than it saves. */
const ONE_PIECE_BYTES = 16 * 1024;
