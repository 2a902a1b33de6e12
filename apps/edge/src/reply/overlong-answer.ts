import { tokensOut } from '@tollgate/contracts';
import type { Candidate__Output } from '@tollgate/contracts/node';
import type { Charge, AuthorisedExchange } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import { outputBoundOf } from '../exchange/output-bound';

/** For the operator: an upstream has sent more than it was told to. */
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
 * Whether an answer that is complete has passed its bound by the provider's own count. It cannot be
 * stopped any more: all of it is booked, since all of it is billed.
 */
export function isOverlongAnswer(
  { job }: AuthorisedExchange,
  candidate: Candidate__Output,
  { quality, usage }: Pick<Charge, 'quality' | 'usage'>,
): boolean {
  const bound = outputBoundOf(candidate, job);
  return bound !== undefined && quality === 'EXACT' && tokensOut(usage) > bound;
}
