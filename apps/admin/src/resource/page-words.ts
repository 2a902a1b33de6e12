import type { rest } from '@tollgate/contracts';

import { showCost } from '../format/money';
import { showCount } from '../format/numbers';

/** "25 of 312 on this page", "25 of more than 10,000 on this page; all cost $12.50" */
export function pageWords(shown: number, matching?: rest.Matching): string {
  if (!matching) return `${showCount(shown)} on this page`;
  const { count, costUsd, more } = matching;
  const all = `${more ? 'more than ' : ''}${showCount(count)}`;
  const cost = costUsd ? `; all cost ${showCost(costUsd)}` : '';
  return `${showCount(shown)} of ${all} on this page${cost}`;
}
