import { tokensOut } from '@tollgate/contracts';
import type { Candidate__Output } from '@tollgate/contracts/node';

import type { AuthorisedExchange, Charge } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import { outputBoundOf } from '../exchange/output-bound';

/** Logs and counts an upstream that sent more output than its bound allows. */
export function reportOverlongAnswer(
  { log, metrics }: Gateway,
  { requestId, job }: AuthorisedExchange,
  candidate: Candidate__Output,
): void {
  const { providerId, providerLabel, modelName, upstreamModel } = candidate;
  metrics.overlongAnswer(providerLabel);
  log.warn('provider exceeded the output bound', {
    requestId,
    providerId,
    model: modelName,
    upstreamModel,
    outputBound: outputBoundOf(candidate, job),
  });
}

/**
 * Whether a complete answer exceeds its bound by the provider's own count. It can no longer be
 * stopped and is billed in full, so it is booked in full.
 */
export function isOverlongAnswer(
  { job }: AuthorisedExchange,
  candidate: Candidate__Output,
  { quality, usage }: Pick<Charge, 'quality' | 'usage'>,
): boolean {
  const bound = outputBoundOf(candidate, job);
  return bound !== undefined && quality === 'EXACT' && tokensOut(usage) > bound;
}
