import {
  costNanoUsd,
  emptyUsage,
  priceFromWire,
  tokensIn,
  tokensOut,
  type TokenUsage,
  type Units,
} from '@tollgate/contracts';
import type { Candidate__Output } from '@tollgate/contracts/node';
import type { Job, Measured } from '../operations';
import type { Charge } from './exchange';

/** Nothing was billed, as far as anybody knows. */
export const NOTHING: Charge = {
  usage: emptyUsage(),
  units: {},
  quality: 'EXACT',
  costNanoUsd: 0n,
};

/** What an answer says it took, or what it will have taken where it does not say. */
export type Took = Measured & { usage?: TokenUsage };

/** What the answering candidate charges for it. */
export function chargeFor(candidate: Candidate__Output, took: Took): Charge {
  const { usage, units = {}, estimate = emptyUsage(), unitsEstimated } = took;
  if (took.free) return { ...NOTHING, usage: usage ?? emptyUsage() };
  const cost = (tokens: TokenUsage): bigint =>
    candidate.price ? costNanoUsd(priceFromWire(candidate.price), tokens, units) : 0n;
  const charge = (tokens: TokenUsage, exact: boolean): Charge => ({
    usage: tokens,
    units: texts(units),
    quality: exact ? 'EXACT' : 'ESTIMATED',
    costNanoUsd: cost(tokens),
  });
  const counted = Object.keys(units).length > 0;
  // Counts of nothing at all, for something that was done, are no counts.
  const told = usage && (counted || sizeOf(usage) > 0 || sizeOf(estimate) === 0);
  if (told) return charge(usage, !unitsEstimated);
  // Where tokens cost nothing beside the units, the units are all there is to count.
  const unitsOnly = counted && cost(estimate) === cost(emptyUsage());
  return unitsOnly ? charge(emptyUsage(), !unitsEstimated) : charge(estimate, false);
}

function sizeOf(usage: TokenUsage): number {
  return tokensIn(usage) + tokensOut(usage);
}

/** What a job will have taken when its output is this long, by what was held for it. */
export function tookSoFar(job: Job, outputTokens: number): Took {
  const { inputTokensEstimate, audioInputTokensEstimate: audioInput } = job;
  const input = inputTokensEstimate - audioInput;
  return {
    estimate: { ...emptyUsage(), input, audioInput, output: outputTokens },
    units: job.unitsEstimate,
    unitsEstimated: true,
  };
}

function texts(units: Units): Record<string, string> {
  return Object.fromEntries(Object.entries(units).map(([unit, count]) => [unit, String(count)]));
}
