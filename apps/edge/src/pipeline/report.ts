// What policy is told of attempts, so that it can rest a candidate that fails. Only where a routing
// policy applies, and nothing waits for it.

import type { Attempt, AttemptReport, Candidate__Output } from '@tollgate/contracts/node';
import type { Answer } from './attempt';
import type { Exchange } from './exchange';
import type { Gateway } from './gateway';
import type { Tries } from './tries';

/** An attempt that has brought an answer, or the first output of one. */
export function reportAnswer(tries: Tries, candidate: Candidate__Output, answer: Answer): void {
  if (!tries.rules.routed || !answer.attempt) return;
  const { exchange, gateway } = tries;
  const firstMs = answer.kind === 'stream' ? answer.stream.firstOutputMs() : undefined;
  const firstTokenMs =
    answer.kind === 'stream' && firstMs !== undefined
      ? Math.max(1, Math.round(firstMs - answer.startedMs))
      : 0;
  send(gateway, exchange, candidate, { ...factsOf(answer.attempt), outcome: 'OK', firstTokenMs });
}

/** An attempt that brought nothing. `retryAfterMs`: how long it is no use to try again. */
export function reportFailure(
  { exchange, gateway, rules, stopped }: Tries,
  candidate: Candidate__Output,
  attempt: Attempt,
  retryAfterMs = 0,
): void {
  if (!rules.routed) return;
  const facts = { ...factsOf(attempt), retryAfterMs: Math.ceil(retryAfterMs) };
  // Those before it have used most of the time up: that it had too little left says nothing of it.
  const cutShort = stopped === 'late' && Number(facts.latencyMs) * 2 < rules.totalTimeoutMs;
  send(gateway, exchange, candidate, cutShort ? { ...facts, outcome: 'ABORTED' } : facts);
}

/** A stream that its upstream broke off after its first output, which had been reported as a success. */
export function reportBroken(
  gateway: Gateway,
  exchange: Exchange,
  candidate: Candidate__Output,
  attempt: Attempt,
): void {
  if (!exchange.allow?.routing) return;
  // A probe has had its verdict with its first output; by now somebody else may be probing.
  send(gateway, exchange, { ...candidate, probe: false }, factsOf(attempt));
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
