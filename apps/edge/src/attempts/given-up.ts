import type { Candidate__Output } from '@tollgate/contracts/node';

import { chargeFor, consumptionSoFar } from '../exchange/charge';
import type { Charge, Exchange } from '../exchange/exchange';
import { outputBoundOf } from '../exchange/output-bound';
import type { Job, Passage } from '../operations';

/** Faster than nearly all models write. */
const TOKENS_PER_SECOND = 250;

/**
 * The charge of a call that the gateway gave up. Of an answer that comes whole nothing is seen before its end, while the
 * provider writes and bills it: what it can have written within `unseenMs` is charged, at most the bound.
 */
export function chargeForGivenUp(
  { job }: Pick<Exchange, 'job'>,
  candidate: Candidate__Output,
  passage: Passage | undefined,
  unseenMs: number,
): Charge {
  const { estimate, ...consumption } = consumptionSoFar(job, passage?.report);
  const unseen = job && !passage && !job.stream ? writtenWithin(unseenMs, candidate, job) : 0;
  const written = estimate && { ...estimate, output: estimate.output + unseen };
  return chargeFor(candidate, written ? { ...consumption, estimate: written } : consumption);
}

function writtenWithin(ms: number, candidate: Candidate__Output, job: Job): number {
  const most = Math.ceil((ms * TOKENS_PER_SECOND) / 1_000) * job.choices;
  return Math.min(most, outputBoundOf(candidate, job) ?? 0);
}
