import { formatUsd, parseUsd, type rest } from '@tollgate/contracts';

import { showExactUsd } from '../../format/money';
import { plural, showCount } from '../../format/numbers';

// The sum of a refusal by a limit: what the request needed against what was left.

type Limit = rest.RefusingLimit;

export interface RefusalSum {
  readonly needed: string;
  /** How the need is made up; empty: it is a plain count. */
  readonly madeOf: string;
  readonly limit: string;
  readonly spent: string;
  readonly held: string;
  readonly left: string;
  /** An output bound with which the request fits; undefined: none does, or none helps. */
  readonly fittingTokens: number | undefined;
}

/** Left is the limit without what is spent and held, at least 0. Money is exact, so that figures add up. */
export function sumOf(limit: Limit, need: rest.RefusalNeed): RefusalSum {
  const money = limit.metric === 'COST';
  const exact = (amount: string | number): bigint =>
    money ? parseUsd(String(amount), { allowNegative: true }) : BigInt(amount);
  const show = (amount: bigint): string =>
    money ? showExactUsd(formatUsd(amount)) : showCount(Number(amount));
  const [whole, spent, held, needed] = [
    exact(limit.limit),
    exact(limit.spent),
    exact(limit.held),
    exact(need.requested),
  ];
  const left = whole - spent - held > 0n ? whole - spent - held : 0n;
  return {
    needed: show(needed),
    madeOf: madeOf(need),
    limit: show(whole),
    spent: show(spent),
    held: show(held),
    left: show(left),
    fittingTokens: fittingTokens(need, left, needed),
  };
}

function madeOf(need: rest.RefusalNeed): string {
  const { inputTokens, outputTokens } = need;
  if (inputTokens === null) return '';
  const input = `${plural(inputTokens, 'input token')} (estimated)`;
  if (outputTokens === null || outputTokens === 0) return input;
  return `${input} and up to ${plural(outputTokens, 'output token')} (${boundOf(need)})`;
}

function boundOf({ outputAssumed, outputExpected }: rest.RefusalNeed): string {
  if (outputExpected) return 'expected of what the request asks for';
  return outputAssumed
    ? 'assumed by the model, because the request sets no max_tokens'
    : 'the bound that the request sets';
}

// The input's share of the cost is at most its share of the tokens, because output costs at least
// as much; so the result is not too high.
function fittingTokens(
  { inputTokens, outputExpected, outputTokens }: rest.RefusalNeed,
  left: bigint,
  needed: bigint,
): number | undefined {
  if (inputTokens === null || outputTokens === null || outputTokens === 0) return undefined;
  if (outputExpected) return undefined;
  if (needed <= 0n || left >= needed) return undefined;
  const [input, output] = [BigInt(inputTokens), BigInt(outputTokens)];
  const ofInput = (needed * input + (input + output) - 1n) / (input + output);
  if (left <= ofInput) return undefined;
  const tokens = (output * (left - ofInput)) / (needed - ofInput);
  return tokens > 0n ? Number(tokens) : undefined;
}
