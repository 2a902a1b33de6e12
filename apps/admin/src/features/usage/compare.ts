import { showPart } from '../../format/numbers';

/** How a number is other than it was in the period before. */
export type Change = {
  readonly direction: 'up' | 'down' | 'same';
  readonly words: string;
  /** Too little to be good or bad. */
  readonly slight: boolean;
};

/** From this many times on a percentage is harder to read than the factor. */
const MANY_TIMES = 10;

/** Below this part a change says nothing. */
const SLIGHT = 0.05;

export function changeOf(now: number, before: number): Change {
  if (now === before)
    return { direction: 'same', words: now === 0 ? '' : 'unchanged', slight: true };
  const direction = now > before ? 'up' : 'down';
  if (before === 0) return { direction, words: 'none before', slight: false };
  const ratio = now / before;
  const slight = Math.abs(ratio - 1) < SLIGHT;
  return { direction, slight, words: wordsOf(ratio, direction === 'up' ? '+' : '−') };
}

function wordsOf(ratio: number, sign: string): string {
  if (ratio >= MANY_TIMES) return `×${String(Math.round(ratio))}`;
  const part = showPart(Math.abs(ratio - 1));
  // Less than can be shown is still no "0%".
  return `${sign}${part === '0%' ? '<0.1%' : part}`;
}
