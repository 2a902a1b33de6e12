// All endings of a stream, side by side. Each decides the last bytes for the client and the charge.

import { formatUsd, gatewayError, type GatewayError } from '@tollgate/contracts';

import type { Answer } from '../exchange/answer';
import { reportBroken } from '../exchange/attempt-report';
import { chargeFor, chargeForBroken, chargeForCut, consumptionSoFar } from '../exchange/charge';
import { bookAttempt, noteModel, type AuthorisedExchange, type Charge } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import { chargeForGivenUp } from '../exchange/given-up';
import { UpstreamFailure } from '../upstream/failure';
import { write } from './write-parts';

const NO_REMARK = Buffer.alloc(0);

export type StreamAnswer = Extract<Answer, { kind: 'stream' }>;

// The stream reached the end of its format.
export function complete(
  exchange: AuthorisedExchange,
  answer: StreamAnswer,
  parts: readonly Buffer[],
): void {
  const charge = chargeSoFar(exchange, answer);
  const { tap } = answer.stream;
  const last = tap.last?.(charge.usage);
  const { fault, error } = tap.report;
  answer.attempt.outcome = fault ?? 'OK';
  Object.assign(exchange.ending, { ...charge, outcome: fault ? 'PARTIAL' : 'COMPLETED' });
  if (error) exchange.ending.errorCode = error.code;
  const all = last === undefined ? parts : [...parts, Buffer.from(last)];
  // What this request costs is no part of the answer that others may get.
  write(exchange, withRemark(all, remark(exchange, answer, charge)), all);
  exchange.res.end();
}

// The upstream failed after output was sent, or an operator limit ended the stream. The client must
// see that the answer is incomplete. An upstream that was cut off still bills its output.
// `event` ends the stream instead of one that follows what was sent.
export function breakOff(
  exchange: AuthorisedExchange,
  answer: StreamAnswer,
  failure: UpstreamFailure,
  event?: string,
): void {
  const { ending, res } = exchange;
  const { candidate, stream, attempt } = answer;
  stream.abort();
  attempt.outcome = failure.outcome;
  Object.assign(ending, {
    ...(failure.own
      ? chargeForCut(candidate, exchange.job, stream.tap.report)
      : chargeForBroken(candidate, exchange.job, stream.tap.report)),
    outcome: 'PARTIAL',
    errorCode: failure.error.code,
  });
  const { ending: end } = stream.tap;
  if (event !== undefined) res.end(event);
  else if (end) res.end(failure.vendorEvent ?? end.fail(failure.error));
  else res.destroy();
}

// The stream is refused, and nothing of it was sent. What the tap has seen may have the refused text, and its
// end, so the error does not go on from there.
export function refuseUnsent(
  { wallMs }: Pick<Gateway, 'wallMs'>,
  exchange: AuthorisedExchange,
  answer: StreamAnswer,
  failure: UpstreamFailure,
): void {
  const { format, job, requestId } = exchange;
  const { modelName, providerLabel: provider } = answer.candidate;
  const encoder = format.createStreamEncoder({
    requestId,
    provider,
    model: job.model || modelName,
    createdAtS: Math.floor(wallMs() / 1_000),
    includeUsage: false,
    ...(job.request ? { request: job.request } : {}),
  });
  const event = encoder.encode({ type: 'error', error: failure.error, fault: 'ABORTED' });
  breakOff(exchange, answer, failure, event);
}

// The request is refused before anything was sent. The upstream bills its output so far.
export function refuseWithheld(
  gateway: Gateway,
  exchange: AuthorisedExchange,
  answer: StreamAnswer,
): void {
  const { candidate, stream, attempt } = answer;
  stream.abort();
  attempt.outcome = 'ABORTED';
  Object.assign(exchange.ending, chargeForCut(candidate, exchange.job, stream.tap.report));
  exchange.ending.candidate = candidate;
  note(gateway, exchange, answer, undefined);
}

// The client disconnected. The upstream bills its output so far.
export function abandon(
  { nowMs }: Pick<Gateway, 'nowMs'>,
  exchange: AuthorisedExchange,
  answer: StreamAnswer,
): void {
  const { candidate, stream, streamsFromMs } = answer;
  const charge = chargeForGivenUp(exchange, candidate, stream.tap, nowMs() - streamsFromMs);
  stream.abort();
  answer.attempt.outcome = 'ABORTED';
  Object.assign(exchange.ending, { ...charge, outcome: 'CLIENT_CLOSED', httpStatus: 499 });
}

// No limit allows more output: the answer ends as it does at any output bound.
export function stopForBudget(exchange: AuthorisedExchange, answer: StreamAnswer): void {
  stop(exchange, answer, 'ABORTED', gatewayError('budget_exceeded'));
}

// The upstream exceeded the bound that was sent and held, so the gateway ends the answer there.
export function stopAtBound(exchange: AuthorisedExchange, answer: StreamAnswer): void {
  const text = 'The provider sent more output than the request allows, so its answer was ended.';
  stop(exchange, answer, 'OVERLONG', gatewayError('upstream_error', text));
}

// `error` is sent in formats whose streams cannot end at a bound.
function stop(
  exchange: AuthorisedExchange,
  answer: StreamAnswer,
  outcome: 'ABORTED' | 'OVERLONG',
  error: GatewayError,
): void {
  const { res, ending, job } = exchange;
  const { candidate, stream, attempt } = answer;
  const { cut } = stream.tap.ending ?? {};
  if (!cut) {
    // The upstream was cut off, and bills its output so far.
    return breakOff(exchange, answer, new UpstreamFailure(outcome, error, { own: true }));
  }
  stream.abort();
  const charge = chargeForCut(candidate, job, stream.tap.report);
  attempt.outcome = outcome;
  Object.assign(ending, { ...charge, outcome: 'BUDGET_STOPPED' });
  const last = [Buffer.from(cut(charge.usage))];
  write(exchange, withRemark(last, remark(exchange, answer, charge)));
  res.end();
}

function chargeSoFar({ job }: AuthorisedExchange, { candidate, stream }: StreamAnswer): Charge {
  return chargeFor(candidate, consumptionSoFar(job, stream.tap.report));
}

function remark(exchange: AuthorisedExchange, { stream }: StreamAnswer, charge: Charge): Buffer {
  const total = charge.costNanoUsd + (exchange.sideCharge?.costNanoUsd ?? 0n);
  const { comment } = stream.tap;
  return costRemark(exchange, comment, formatUsd(total), charge.quality === 'ESTIMATED');
}

/** Comments on cost and usage, only for clients that ask: others may not expect the lines. */
export function costRemark(
  { req }: Pick<AuthorisedExchange, 'req'>,
  comment: (text: string) => string,
  usd: string,
  estimated: boolean,
): Buffer {
  if (req.headers['x-tollgate-stream-cost'] !== 'true') return NO_REMARK;
  const usage = estimated ? comment('x-tollgate-usage: estimated') : '';
  return Buffer.from(usage + comment(`x-tollgate-cost-usd: ${usd}`));
}

/** Inserts a comment before the last event, because a client may stop reading after that. */
export function withRemark(parts: readonly Buffer[], remark: Buffer): readonly Buffer[] {
  const last = parts.at(-1);
  if (!last || remark.length === 0) return parts;
  const at = lastEventStart(last);
  const before = at > 0 ? [last.subarray(0, at)] : [];
  return [...parts.slice(0, -1), ...before, remark, last.subarray(at)];
}

const LF = 10;
const CR = 13;

/** The start of the last event among complete events: after the blank line before it. */
function lastEventStart(events: Buffer): number {
  let end = events.length;
  while (end > 0 && (events[end - 1] === LF || events[end - 1] === CR)) end -= 1;
  const text = events.toString('latin1', 0, end);
  const blank = Math.max(
    text.lastIndexOf('\n\n') + 2,
    text.lastIndexOf('\n\r\n') + 3,
    text.lastIndexOf('\r\r') + 2,
  );
  return blank > 3 ? blank : 0;
}

// Records the outcome of the stream, and reports its failure to policy.
export function note(
  gateway: Gateway,
  exchange: AuthorisedExchange,
  answer: StreamAnswer,
  failure: UpstreamFailure | undefined,
): void {
  const { ending } = exchange;
  const { attempt, stream } = answer;
  const { report } = stream.tap;
  // What was withheld from the client was not its first token.
  const firstMs = exchange.withheldUntilMs ?? stream.firstOutputMs();
  bookAttempt(attempt, answer.candidate, ending);
  noteModel(attempt, report.model);
  attempt.latencyMs = Math.round(gateway.nowMs() - answer.startedMs);
  if (failure) reportBroken(gateway, exchange, answer, failure);
  ending.stopReason = report.rawStopReason ?? '';
  ending.responseId = report.responseId ?? '';
  if (report.itemIds) ending.itemIds = report.itemIds;
  ending.upstreamRequestId = attempt.upstreamRequestId ?? '';
  if (firstMs === undefined) return;
  ending.firstTokenMs = Math.max(1, Math.round(firstMs - exchange.startedMs));
  attempt.firstTokenMs = ending.firstTokenMs;
}
