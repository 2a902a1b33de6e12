/** Positions of a chart's lines: `max` is at or above every value, `ticks` divide it evenly. */
export interface Scale {
  readonly max: number;
  readonly ticks: readonly number[];
}

const STEPS = [1, 2, 2.5, 5, 10];
const LINES = 4;

/** A scale of round numbers. `whole` keeps ticks integral, for counts. */
export function scaleFor(largest: number, whole: boolean): Scale {
  // Without values any scale is arbitrary.
  if (!(largest > 0)) return { max: 1, ticks: [0] };
  const rough = largest / LINES;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = (STEPS.find((candidate) => candidate * power >= rough) ?? 10) * power;
  const rounded = whole ? Math.ceil(step) : step;
  return scaleOf(rounded, Math.max(1, Math.ceil(largest / rounded - 1e-9)));
}

function scaleOf(step: number, lines: number): Scale {
  // Rounds away floating-point noise in multiples of 0.1.
  const clean = (value: number): number => Number(value.toPrecision(12));
  const ticks = Array.from({ length: lines + 1 }, (_, line) => clean(line * step));
  return { max: clean(lines * step), ticks };
}

/** Picks at most `most` evenly spaced labels. */
export function labelled(count: number, most: number): (index: number) => boolean {
  const every = Math.max(1, Math.ceil(count / most));
  return (index) => index % every === 0;
}
