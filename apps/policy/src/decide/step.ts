// What one more step of a growing hold costs, and what each limit holds for it.
import type { PlannedLimit } from '../directory';

const MILLION = 1_000_000n;

/** Cost of `tokens` more output tokens of all choices together, rounded up. */
export function stepCost(tokens: number, pricePerMillion: bigint): bigint {
  return (BigInt(tokens) * pricePerMillion + MILLION - 1n) / MILLION;
}

/** The amount that a limit holds for one step. */
export function stepAmount(
  limit: Pick<PlannedLimit, 'kind' | 'metric'>,
  step: { inputTokens: number; outputTokens: number; costNanoUsd: bigint },
): bigint {
  if (limit.metric === 'COST') return step.costNanoUsd;
  if (limit.metric === 'TOKENS_IN') return BigInt(step.inputTokens);
  if (limit.metric === 'TOKENS_OUT') return BigInt(step.outputTokens);
  const counted = limit.kind === 'RATE_TOKENS' || limit.metric === 'TOKENS';
  return counted ? BigInt(step.inputTokens + step.outputTokens) : 0n;
}
