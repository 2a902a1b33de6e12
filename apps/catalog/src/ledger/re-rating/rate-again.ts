import {
  costNanoUsd,
  isFreeOperation,
  tokensIn,
  tokensOut,
  type Price,
  type TokenUsage,
} from '@tollgate/contracts';
import type { Amounts } from '../records/amounts';
import { totalNanoUsd, type Standing } from '../records/booked-request';

/** What a corrected price changes of one request. */
export type Verdict =
  | { kind: 'SAME' }
  | { kind: 'DIFFERS'; differenceNanoUsd: bigint }
  /** Charged what was held for it; how it ended is not known. */
  | { kind: 'HELD' }
  /** Charged something else than its own price list gives: another list says nothing of it. */
  | { kind: 'OTHERWISE' };

const SAME: Verdict = { kind: 'SAME' };

/**
 * The difference between what a request has been rated at so far and what the corrected price gives for
 * its usage, by the very function that the edge charges with. What was free stays free, and what
 * people have corrected by hand stands beside: so the same price gives no difference, and the second
 * run of a re-rating none either.
 */
export function rate(standing: Standing, own: Price | undefined, corrected: Price): Verdict {
  if (standing.mode === 'ABANDONED' && standing.truth === null) return { kind: 'HELD' };
  if (standing.truth === 'CANCELLED') return SAME;
  const charged = standing.charged.cost_nano_usd;
  const usage = usageOf(standing.charged);
  const [before, after] = [own, corrected].map((price) => costOf(price, usage, standing));
  if (before === undefined || after === undefined) return { kind: 'OTHERWISE' };
  const free = charged === 0n && (before !== 0n || wasFree(standing, usage));
  if (!free && charged !== before) return { kind: 'OTHERWISE' };
  const rated = charged + standing.reratedNanoUsd;
  const wanted = (free ? 0n : after) - rated;
  const total = totalNanoUsd(standing);
  const difference = wanted < -total ? -total : wanted;
  return difference === 0n ? SAME : { kind: 'DIFFERS', differenceNanoUsd: difference };
}

/** Undefined where it cannot be told: units that were not kept, or that are no quantities. */
function costOf(
  price: Price | undefined,
  usage: TokenUsage,
  { units }: Standing,
): bigint | undefined {
  if (units === null) return undefined;
  if (price === undefined) return 0n;
  try {
    return costNanoUsd(price, usage, units);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Where a price list of zeros does not tell what was free from what cost nothing. */
function wasFree({ operation, outcome, units }: Standing, usage: TokenUsage): boolean {
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
    output: Number(amounts.output_tokens),
    audioOutput: Number(amounts.audio_output_tokens),
    reasoning: Number(amounts.reasoning_tokens),
  };
}
