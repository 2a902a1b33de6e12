import { formatUsd } from '@tollgate/contracts';

import type { Answer } from '../exchange/answer';
import { chargeFor } from '../exchange/charge';
import { bookAttempt, noteModel, type AuthorisedExchange, type Charge } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import { checkAnswer, screenAnswer, throwIfBlocked } from '../screening';
import { answerHeaders } from './answer-headers';
import { countAnswer } from './count';
import { relayedHeader } from './header-text';
import { isOverlongAnswer, reportOverlongAnswer } from './overlong-answer';

type UnaryAnswer = Extract<Answer, { kind: 'unary' }>;

/** Sends a whole answer with its cost in the headers. An answer without usage is counted first. */
export function replyUnary(
  gateway: Gateway,
  exchange: AuthorisedExchange,
  answer: UnaryAnswer,
): Promise<void> | undefined {
  const counting = countAnswer(gateway, exchange.job, answer.answered.report);
  if (counting) return counting.then(() => send(gateway, exchange, answer));
  return send(gateway, exchange, answer);
}

function send(
  gateway: Gateway,
  exchange: AuthorisedExchange,
  answer: UnaryAnswer,
): Promise<void> | undefined {
  const { ending } = exchange;
  const { answered, attempt, candidate } = answer;
  const { body, report } = answered;
  const charge = chargeFor(candidate, report);
  if (attempt) {
    bookAttempt(attempt, candidate, charge);
    noteModel(attempt, report.model);
  }
  if (attempt && isOverlongAnswer(exchange, candidate, charge)) {
    attempt.outcome = 'OVERLONG';
    reportOverlongAnswer(gateway, exchange, candidate);
  }
  ending.usage = charge.usage;
  ending.units = charge.units;
  ending.quality = charge.quality;
  ending.costNanoUsd = charge.costNanoUsd;
  ending.serviceTier = charge.serviceTier;
  ending.outcome = 'COMPLETED';
  ending.httpStatus = 200;
  ending.candidate = candidate;
  ending.stopReason = report.rawStopReason ?? report.stopReason ?? '';
  ending.responseId = report.responseId ?? '';
  if (report.itemIds) ending.itemIds = report.itemIds;
  ending.upstreamRequestId = attempt?.upstreamRequestId ?? '';
  ending.firstTokenMs = Math.round(gateway.nowMs() - exchange.startedMs);
  if (exchange.clientGone) {
    // The client left, but the provider has done and billed the work.
    ending.outcome = 'CLIENT_CLOSED';
    ending.httpStatus = 499;
    return undefined;
  }
  const written = Buffer.isBuffer(body) ? body : body(charge.usage);
  const screened = exchange.screening
    ? passed(gateway, exchange, written, answered.contentType)
    : written;
  if (!(screened instanceof Promise)) return write(gateway, exchange, answer, charge, screened);
  return screened.then((payload) => {
    ending.firstTokenMs = Math.round(gateway.nowMs() - exchange.startedMs);
    if (!exchange.clientGone) return write(gateway, exchange, answer, charge, payload);
    ending.outcome = 'CLIENT_CLOSED';
    ending.httpStatus = 499;
    return undefined;
  });
}

/** What goes to the client. @throws GatewayError of the rule that refuses, also by the promise */
function passed(
  gateway: Gateway,
  exchange: AuthorisedExchange,
  written: Buffer | string,
  contentType: string,
): Buffer | string | Promise<Buffer | string> {
  const screened = screenAnswer(gateway, exchange, written, contentType);
  if (!(screened instanceof Promise)) return checked(exchange, screened, contentType);
  return screened.then((payload) => checked(exchange, payload, contentType));
}

/** What services let pass of it. */
function checked(
  exchange: AuthorisedExchange,
  screened: Buffer | string,
  contentType: string,
): Buffer | string | Promise<Buffer | string> {
  const checking = checkAnswer(exchange, screened, contentType);
  const { withholding } = exchange;
  if (!withholding) return checking ?? screened;
  return Promise.all([checking ?? screened, withholding]).then(([payload]) => {
    throwIfBlocked(exchange.screening);
    return payload;
  });
}

function write(
  gateway: Gateway,
  exchange: AuthorisedExchange,
  answer: UnaryAnswer,
  charge: Charge,
  payload: Buffer | string,
): undefined {
  const { res } = exchange;
  const { answered } = answer;
  const { report } = answered;
  const costNanoUsd = charge.costNanoUsd + (exchange.sideCharge?.costNanoUsd ?? 0n);
  const headers = answerHeaders(gateway, exchange, answer, costNanoUsd);
  // A background response has no cost yet.
  if (!report.pending) {
    headers['x-tollgate-cost-usd'] = formatUsd(costNanoUsd);
    if (charge.quality === 'ESTIMATED') headers['x-tollgate-usage'] = 'estimated';
  }
  for (const [name, value] of Object.entries(answered.headers ?? {})) {
    headers[name] = relayedHeader(value);
  }
  headers['content-type'] = relayedHeader(answered.contentType);
  headers['content-length'] = String(Buffer.byteLength(payload));
  res.writeHead(200, headers);
  exchange.trace?.content?.recorder?.keepWhole(payload);
  exchange.cache?.recorder?.keepWhole(payload);
  exchange.keptBodies?.recorder?.keepWhole(payload, answered.contentType);
  // Head and body in one write save one system call. Latin-1 keeps each byte as it is.
  if (Buffer.isBuffer(payload) && payload.length <= ONE_PIECE_BYTES) {
    res.end(payload.toString('latin1'), 'latin1');
  } else res.end(payload);
}

/** Above this size, copying costs more than it saves. */
const ONE_PIECE_BYTES = 16 * 1024;
