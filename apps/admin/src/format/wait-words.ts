import { showNumber } from './numbers';

/** A duration without zero parts: "2 min", "1.5 s", "250 ms". */
export function waitWords(ms: number): string {
  if (ms < 1_000) return `${showNumber(ms)} ms`;
  return ms % 60_000 === 0 ? `${showNumber(ms / 60_000)} min` : `${showNumber(ms / 1_000)} s`;
}
