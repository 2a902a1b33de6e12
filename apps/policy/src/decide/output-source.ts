import type { AuthorizeRequest__Output } from '@tollgate/contracts/node';

import { isExpected, type SizedCandidate } from './size';

/** Where the output bound of a hold comes from; empty: it has none. */
export type OutputSource =
  '' | 'REQUEST' | 'MODEL_DEFAULT' | 'MODEL_MAXIMUM' | 'GATEWAY' | 'BUDGET' | 'EXPECTED';

/** Names the source by the bound that was chosen. `clamped`: a budget has lowered it. */
export function outputSourceOf(
  { maxOutputTokens: asked }: Pick<AuthorizeRequest__Output, 'maxOutputTokens'>,
  candidate: SizedCandidate,
  clamped: boolean,
): OutputSource {
  const { boundUnsent, model, outputBound } = candidate;
  const { contextTokens, defaultMaxOutputTokens, maxOutputTokens } = model.entry;
  if (isExpected(candidate)) return 'EXPECTED';
  if (outputBound === 0) return '';
  if (clamped) return 'BUDGET';
  if (asked === outputBound) return 'REQUEST';
  if (asked > 0 || boundUnsent) return 'MODEL_MAXIMUM';
  if (defaultMaxOutputTokens === outputBound) return 'MODEL_DEFAULT';
  const known = defaultMaxOutputTokens > 0 || contextTokens > 0 || maxOutputTokens > 0;
  return known ? 'MODEL_MAXIMUM' : 'GATEWAY';
}
