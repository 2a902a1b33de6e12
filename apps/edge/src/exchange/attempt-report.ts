// Reports attempts to policy, so that its circuit breaker can rest a failing candidate. Reports are
// sent only if a routing policy applies, and nothing waits for them.

import { REMEMBERS_MOVES } from '@tollgate/contracts';
import type { Attempt, AttemptReport, Candidate__Output } from '@tollgate/contracts/node';

import { HANDLING } from '../error-handling';
import type { UpstreamFailure } from '../upstream/failure';
import type { Answer, StreamAnswer } from './answer';
import type { Exchange } from './exchange';
import type { Gateway } from './gateway';

/** What a report depends on beside the attempt itself. */
export interface Reporting {
  readonly gateway: Gateway;
  readonly exchange: Exchange;
  readonly rules: { readonly routed: boolean; readonly totalTimeoutMs: number };
  /** Why no further attempt is made; undefined: one may be. */
  readonly stopped: 'won' | 'gone' | 'late' | 'refused' | undefined;
}

/** Reports an attempt that returned an answer, or the first output of one. */
export function reportAnswer(
  { exchange, gateway, rules }: Reporting,
  candidate: Candidate__Output,
  answer: Answer,
): void {
  if (!rules.routed || !answer.attempt) return;
  const firstTokenMs = answer.kind === 'stream' ? firstTokenOf(answer) : 0;
  const facts: AttemptReport = { ...factsOf(answer.attempt), outcome: 'OK', firstTokenMs };
  if (!answer.attempt.hedge) Object.assign(facts, movedTo(exchange, candidate));
  send(gateway, exchange, candidate, facts);
}

/** The conversation, if moves of it are remembered. */
function conversationOf({
  affinity,
  allow,
}: Exchange): Pick<AttemptReport, 'affinity' | 'apiKeyId' | 'policyId'> {
  const { experiment, routing, subject } = allow ?? {};
  // The arm of an experiment stays first.
  if (affinity === undefined || experiment || !routing || !REMEMBERS_MOVES.has(routing.strategy))
    return {};
  return { affinity, apiKeyId: subject?.apiKeyId ?? '', policyId: routing.policyId };
}

/** The conversation, if a candidate answered where policy would not look for it: its prompt is cached there now. */
function movedTo(
  exchange: Exchange,
  { modelId }: Candidate__Output,
): ReturnType<typeof conversationOf> {
  const { candidates: [first] = [], routing } = exchange.allow ?? {};
  const isWhereExpected = first?.modelId === modelId && routing?.rememberPlace !== true;
  return isWhereExpected ? {} : conversationOf(exchange);
}

/**
 * The conversation, if its own place has rejected it. A provider account can read only its own encrypted reasoning, so
 * a 400 may mean that the conversation was moved to the wrong account.
 */
function rejectedBy(
  exchange: Exchange,
  { modelId }: Candidate__Output,
  { hedge = false }: Attempt,
): ReturnType<typeof conversationOf> {
  const [first] = exchange.allow?.candidates ?? [];
  return !hedge && first?.modelId === modelId ? conversationOf(exchange) : {};
}

const REJECTED = 400;

/** Reports a failed attempt. `retryAfterMs`: how long a retry would be pointless. */
export function reportFailure(
  { exchange, gateway, rules, stopped }: Reporting,
  candidate: Candidate__Output,
  attempt: Attempt,
  failure: UpstreamFailure,
  retryAfterMs = 0,
): void {
  if (!rules.routed) return;
  const outcome = wordFor(failure, attempt.outcome ?? '');
  const facts: AttemptReport = {
    ...factsOf(attempt),
    outcome,
    retryAfterMs: Math.ceil(retryAfterMs),
    ...(failure.status === REJECTED ? rejectedBy(exchange, candidate, attempt) : {}),
  };
  // Earlier attempts used up most of the time, so this timeout does not show that the candidate is
  // slow.
  const cutShort = stopped === 'late' && Number(facts.latencyMs) * 2 < rules.totalTimeoutMs;
  send(gateway, exchange, candidate, cutShort ? { ...facts, outcome: 'ABORTED' } : facts);
}

/** Reports a stream that failed after its first output, which was already reported as a success. */
export function reportBroken(
  gateway: Gateway,
  exchange: Exchange,
  answer: StreamAnswer,
  failure: UpstreamFailure,
): void {
  if (!exchange.allow?.routing) return;
  const { attempt, candidate } = answer;
  // The upstream was working; an operator limit ended it.
  const cut = failure.own && failure.outcome === 'TIMEOUT';
  const outcome = cut ? 'ABORTED' : wordFor(failure, failure.outcome);
  const firstTokenMs = firstTokenOf(answer);
  // The first output already decided the probe, and another request may be probing by now.
  const told = { ...candidate, probe: false };
  send(gateway, exchange, told, { ...factsOf(attempt), outcome, firstTokenMs });
}

/** From the call to the first output, in milliseconds; 0: there was none. */
function firstTokenOf({ startedMs, stream }: StreamAnswer): number {
  const firstMs = stream.firstOutputMs();
  return firstMs === undefined ? 0 : Math.max(1, Math.round(firstMs - startedMs));
}

/** Errors within an answer, by the side at fault. The record keeps one outcome for all of them. */
function wordFor({ error, outcome: failed }: UpstreamFailure, outcome: string): string {
  return (failed === 'UPSTREAM_ERROR' && HANDLING[error.code].outcomeInAnswer) || outcome;
}

function factsOf({ latencyMs, outcome }: Attempt): AttemptReport {
  return { latencyMs: latencyMs ?? 0, outcome: outcome ?? '' };
}

function send(
  { policy }: Gateway,
  { allow, job }: Exchange,
  { modelId, probe, providerId }: Candidate__Output,
  facts: AttemptReport,
): void {
  policy.report({
    organisationId: allow?.subject?.organisationId ?? '',
    modelId,
    providerId,
    stream: job?.stream ?? false,
    probe,
    ...facts,
  });
}
