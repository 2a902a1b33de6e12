import {
  costNanoUsd,
  formatUsd,
  parseUsd,
  priceInTier,
  stepAt,
  TOKEN_CLASSES,
  tokensIn,
  unitNanoUsd,
  type Price,
  type rest,
  type TokenClass,
} from '@tollgate/contracts';

import { priceOf } from './price-of';

// How the cost of a request is made up. Pure.

export interface CostLine {
  /** Which attempt it belongs to, from 1. */
  readonly attempt: number;
  readonly what: TokenClass | 'request' | 'unit' | 'other';
  /** The unit's name, for `unit`. */
  readonly unit: string;
  /** Undefined for `other`. */
  readonly quantity: string | undefined;
  /** US dollars for a million tokens, or for one; undefined for `other`. */
  readonly priceUsd: string | undefined;
  /** US dollars, rounded to nine places. */
  readonly amountUsd: string;
}

type Detail = Pick<rest.UsageRecordDetail, 'attempts' | 'prices' | 'units'>;

const PER_MILLION = 1_000_000n;
const UNIT_SCALE = 10n ** 9n;

/**
 * One line for each class of tokens, each unit and each call that has a price. What they do not add up
 * to, such as a hold that was charged whole or a rounding, is the attempt's line `other`.
 */
export function costLines({ attempts, prices, units }: Detail): CostLine[] {
  const charged = attempts.map(({ costUsd }) => parseUsd(costUsd, { allowNegative: true }));
  // Units are those of the answer, which the last attempt with a cost gave.
  const answered = charged.findLastIndex((nano) => nano !== 0n);
  return attempts.flatMap((attempt, index) => {
    const cost = charged[index] ?? 0n;
    if (cost === 0n) return [];
    const listed = prices.find(({ id }) => id === attempt.priceId);
    const price = listed && priceInTier(priceOf(listed), attempt.serviceTier ?? '');
    const ofUnits = index === answered ? units : {};
    const lines =
      price === undefined || attempt.tokens === null
        ? []
        : linesOf(price, attempt.tokens, ofUnits, index + 1);
    const itemised =
      lines.length === 0 || price === undefined || attempt.tokens === null
        ? 0n
        : costNanoUsd(price, attempt.tokens, ofUnits);
    const rest = cost - itemised;
    return rest === 0n ? lines : [...lines, otherLine(rest, index + 1)];
  });
}

function linesOf(
  price: Price,
  tokens: rest.UsageRecord['tokens'],
  units: Detail['units'],
  attempt: number,
): CostLine[] {
  const step = stepAt(price, tokensIn(tokens));
  const line = (
    what: CostLine['what'],
    quantity: string,
    nano: bigint,
    amount: bigint,
    unit = '',
  ): CostLine => ({
    attempt,
    what,
    unit,
    quantity,
    priceUsd: formatUsd(nano),
    amountUsd: formatUsd(amount),
  });
  const lines: CostLine[] = [];
  for (const name of TOKEN_CLASSES) {
    const nano = step[name];
    if (tokens[name] === 0 || nano === 0n) continue;
    const amount = rounded(BigInt(tokens[name]) * nano, PER_MILLION);
    lines.push(line(name, String(tokens[name]), nano, amount));
  }
  if (price.perRequestNanoUsd > 0n) {
    lines.push(line('request', '1', price.perRequestNanoUsd, price.perRequestNanoUsd));
  }
  for (const [unit, quantity] of Object.entries(units)) {
    const nano = unitNanoUsd(price, unit);
    if (nano === 0n) continue;
    const amount = rounded(parseUsd(quantity) * nano, UNIT_SCALE);
    lines.push(line('unit', quantity, nano, amount, unit));
  }
  return lines;
}

function otherLine(nano: bigint, attempt: number): CostLine {
  const amountUsd = formatUsd(nano);
  return { attempt, what: 'other', unit: '', quantity: undefined, priceUsd: undefined, amountUsd };
}

function rounded(amount: bigint, scale: bigint): bigint {
  return (amount + scale / 2n) / scale;
}
