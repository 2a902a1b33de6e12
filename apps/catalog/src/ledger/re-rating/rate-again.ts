import {
  costNanoUsd,
  isFreeOperation,
  priceInTier,
  tokensIn,
  tokensOut,
  type Price,
  type TokenUsage,
} from '@tollgate/contracts';

import type { Amounts } from '../records/amounts';
import { totalNanoUsd, type BookedRequest } from '../records/booked-request';

/** How a corrected price changes one request. */
export type Verdict =
  | { kind: 'SAME' }
  | { kind: 'DIFFERS'; differenceNanoUsd: bigint }
  /** An abandoned request: it was charged what was held, and its real usage is unknown. */
  | { kind: 'HELD' }
  /**
   * Its charge does not follow from its own price list, so no other one can be applied: another amount was charged, or
   * the answer came from the response cache.
   */
  | { kind: 'OTHERWISE' };

const SAME: Verdict = { kind: 'SAME' };

/**
 * The difference between what a request has been rated at so far and its cost at the corrected
 * price. Uses the same function as the edge. Free requests stay free, and manual corrections stay
 * on top. The same price gives no difference, so re-rating twice is a no-op.
 */
export function rateAgain(
  bookedRequest: BookedRequest,
  own: Price | undefined,
  corrected: Price,
): Verdict {
  if (bookedRequest.mode === 'ABANDONED' && bookedRequest.truth === null) return { kind: 'HELD' };
  if (bookedRequest.truth === 'CANCELLED') return SAME;
  if (bookedRequest.fromCache) return { kind: 'OTHERWISE' };
  const charged = bookedRequest.charged.cost_nano_usd;
  const usage = usageOf(bookedRequest.charged);
  const [before, after] = [own, corrected].map((price) => costOf(price, usage, bookedRequest));
  if (before === undefined || after === undefined) return { kind: 'OTHERWISE' };
  const free = charged === 0n && (before !== 0n || wasFree(bookedRequest, usage));
  if (!free && charged !== before) return { kind: 'OTHERWISE' };
  const rated = charged + bookedRequest.reratedNanoUsd;
  const wanted = (free ? 0n : after) - rated;
  const total = totalNanoUsd(bookedRequest);
  const difference = wanted < -total ? -total : wanted;
  return difference === 0n ? SAME : { kind: 'DIFFERS', differenceNanoUsd: difference };
}

/** Undefined when the cost cannot be computed: units were not kept, or are not quantities. */
function costOf(
  price: Price | undefined,
  usage: TokenUsage,
  { serviceTier, units }: BookedRequest,
): bigint | undefined {
  if (units === null) return undefined;
  if (price === undefined) return 0n;
  try {
    return costNanoUsd(priceInTier(price, serviceTier), usage, units);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** A zero price list cannot tell a free request from one that cost nothing, so usage decides. */
function wasFree({ operation, outcome, units }: BookedRequest, usage: TokenUsage): boolean {
  if (isFreeOperation(operation)) return true;
  const used = tokensIn(usage) + tokensOut(usage) > 0 || Object.keys(units ?? {}).length > 0;
  return !used && outcome !== 'COMPLETED';
}

function usageOf(amounts: Amounts): TokenUsage {
  return {
    input: Number(amounts.input_tokens),
    cacheRead: Number(amounts.cache_read_tokens),
    cacheWrite5m: Number(amounts.cache_write_5m_tokens),
    cacheWrite1h: Number(amounts.cache_write_1h_tokens),
    audioInput: Number(amounts.audio_input_tokens),
    imageInput: Number(amounts.image_input_tokens),
    output: Number(amounts.output_tokens),
    audioOutput: Number(amounts.audio_output_tokens),
    imageOutput: Number(amounts.image_output_tokens),
    reasoning: Number(amounts.reasoning_tokens),
  };
}
