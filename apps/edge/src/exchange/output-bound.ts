import type { Candidate__Output } from '@tollgate/contracts/node';

import type { Job } from '../operations';

/** The output bound sent upstream; 0: none. Anthropic's format requires one. */
export function sentOutputBound(candidate: Candidate__Output): number {
  const { maxOutputTokens, outputBoundUnsent, upstreamFormat } = candidate;
  return outputBoundUnsent && upstreamFormat !== 'anthropic' ? 0 : maxOutputTokens;
}

/** The maximum output of all choices of a request together. Undefined: there is no bound. */
export function outputBoundOf(
  { maxOutputTokens }: Candidate__Output,
  { choices, repeatedInputTokens = 0 }: Pick<Job, 'choices' | 'repeatedInputTokens'>,
): number | undefined {
  return maxOutputTokens > 0 ? maxOutputTokens * choices + repeatedInputTokens : undefined;
}
