import type { rest } from '@tollgate/contracts';

import { showPart } from '../../format/numbers';
import { valueOf } from './series';
import type { Metric } from './state';

// The change against the previous period, in a sentence.

const NAMES: Readonly<Record<Metric, { readonly one: string; readonly are: 'is' | 'are' }>> = {
  cost: { one: 'Spend', are: 'is' },
  requests: { one: 'Requests', are: 'are' },
  tokens: { one: 'Tokens', are: 'are' },
  errors: { one: 'Errors', are: 'are' },
};
/** From this factor on, "12 times as high" is easier to read than a percentage. */
const MANY_TIMES = 10;

interface Compared {
  readonly metric: Metric;
  readonly now: rest.UsageMeasures;
  readonly before: rest.UsageMeasures;
  readonly show: (value: number) => string;
  /** "1 Oct to 30 Oct". */
  readonly period: string;
}

/** "Spend is 12% higher than in the previous period: $1.12 after $1.00 (1 Oct to 30 Oct)." */
export function changeSentence({ metric, now, before, show, period }: Compared): string {
  const { one, are } = NAMES[metric];
  const [value, was] = [valueOf(metric, now), valueOf(metric, before)];
  const earlier = `the previous period (${period})`;
  if (value === was) {
    return value === 0
      ? `${one} ${are} zero, as in ${earlier}.`
      : `${one} ${are} the same as in ${earlier}: ${show(value)}.`;
  }
  const figures = `${show(value)} after ${show(was)} (${period})`;
  if (was === 0) return `${one}: ${show(value)}, after none in ${earlier}.`;
  const ratio = value / was;
  if (ratio >= MANY_TIMES) {
    return `${one} ${are} ${String(Math.round(ratio))} times as high as in the previous period: ${figures}.`;
  }
  const percent = showPart(Math.abs(ratio - 1)).replace('<', 'less than ');
  return `${one} ${are} ${percent} ${ratio > 1 ? 'higher' : 'lower'} than in the previous period: ${figures}.`;
}
