import type { ByteLease } from '../intake';
import type { Exchange } from './exchange';
import type { Gateway } from './gateway';

/** The memory lease for answers of this request that are not yet sent on. */
export function answerLease(
  { answers }: Pick<Gateway, 'answers'>,
  exchange: Pick<Exchange, 'answerLease'>,
): ByteLease {
  if (exchange.answerLease) return exchange.answerLease;
  exchange.answerLease = answers.open();
  exchange.answerLease.confirm();
  return exchange.answerLease;
}
