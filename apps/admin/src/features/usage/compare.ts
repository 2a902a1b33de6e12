import { showPart } from '../../format/numbers';

/** The change of a number against the previous period. */
export interface Change {
  readonly direction: 'up' | 'down' | 'same';
  readonly words: string;
  /** Smaller changes are neutral. */
  readonly slight: boolean;
}

/** From this factor on, "×12" is easier to read than a percentage. */
const MANY_TIMES = 10;

/** Smaller changes are noise. */
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
  // A tiny change is not shown as "0%".
  return `${sign}${part === '0%' ? '<0.1%' : part}`;
}
