import type { Candidate__Output } from '@tollgate/contracts/node';
import type { Job } from '../operations';

/** The output bound that goes upstream; 0: none. Anthropic's format cannot leave it out. */
export function sentOutputBound(candidate: Candidate__Output): number {
  const { maxOutputTokens, outputBoundUnsent, upstreamFormat } = candidate;
  return outputBoundUnsent && upstreamFormat !== 'anthropic' ? 0 : maxOutputTokens;
}

/**
 * The most that all answers of a request may generate together. Undefined: nothing bounds them.
 */
export function outputBoundOf(
  { maxOutputTokens }: Candidate__Output,
  { choices, repeatedInputTokens = 0 }: Pick<Job, 'choices' | 'repeatedInputTokens'>,
): number | undefined {
  return maxOutputTokens > 0 ? maxOutputTokens * choices + repeatedInputTokens : undefined;
}
