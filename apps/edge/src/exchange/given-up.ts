import type { Candidate__Output } from '@tollgate/contracts/node';

import type { Job, Passage } from '../operations';
import { chargeFor, consumptionSoFar } from './charge';
import type { Charge, Exchange } from './exchange';
import { outputBoundOf } from './output-bound';

/** Faster than nearly all models write. */
const TOKENS_PER_SECOND = 250;

/**
 * The charge of a call that the gateway gave up. While nothing of an answer is seen, because it comes whole or its
 * model thinks out of sight, the provider writes and bills it: what it can have written within `unseenMs` is charged,
 * at most the bound.
 */
export function chargeForGivenUp(
  { job }: Pick<Exchange, 'job'>,
  candidate: Candidate__Output,
  passage: Passage | undefined,
  unseenMs: number,
): Charge {
  const { estimate, ...consumption } = consumptionSoFar(job, passage?.report);
  const unseen = job && !passage?.report.outputSeen ? writtenWithin(unseenMs, candidate, job) : 0;
  const written = estimate && { ...estimate, output: estimate.output + unseen };
  return chargeFor(candidate, written ? { ...consumption, estimate: written } : consumption);
}

function writtenWithin(ms: number, candidate: Candidate__Output, job: Job): number {
  const most = Math.ceil((ms * TOKENS_PER_SECOND) / 1_000) * job.choices;
  return Math.min(most, outputBoundOf(candidate, job) ?? 0);
}
