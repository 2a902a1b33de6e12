// What each limit holds for a request, and for one more step of it.
import type { PlannedLimit } from '../directory';
import { sizeWith, type HoldSize } from './size';

/**
 * The amount that a limit holds. Errors and latency are unknown before the end, so nothing is held.
 */
export function heldAmount(limit: PlannedLimit, whole: HoldSize): bigint {
  const size = limit.scopeType === 'MODEL' ? sizeAt(whole, limit.scopeId) : whole;
  const output = size.heldOutputTokens * size.choices;
  switch (limit.kind) {
    case 'BUDGET':
      return size.costNanoUsd;
    case 'RATE_REQUESTS':
    case 'RATE_CONCURRENT':
      return 1n;
    case 'RATE_TOKENS':
      return BigInt(size.inputTokens + output);
    case 'QUOTA':
      return quotaAmount(limit.metric, size, output);
  }
}

// A model's own limit counts that model's amount, not the dearest candidate's.
function sizeAt(size: HoldSize, modelId: string): HoldSize {
  if (size.candidates.length < 2) return size;
  return sizeWith(
    size,
    size.candidates.filter(({ model }) => model.modelId === modelId),
  );
}

function quotaAmount(metric: PlannedLimit['metric'], size: HoldSize, output: number): bigint {
  switch (metric) {
    case 'COST':
      return size.costNanoUsd;
    case 'REQUESTS':
      return 1n;
    case 'TOKENS':
      return BigInt(size.inputTokens + output);
    case 'TOKENS_IN':
      return BigInt(size.inputTokens);
    case 'TOKENS_OUT':
      return BigInt(output);
    case 'ERRORS':
    case 'LATENCY_MS':
      return 0n;
    case '':
      throw new RangeError('a quota has a metric');
  }
}

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
