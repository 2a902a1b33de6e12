import { clsx } from 'clsx';

// What a chart draws: its points, and series with a name and a colour.

export const FILLS = {
  accent: 'fill-accent',
  second: 'fill-second',
  bad: 'fill-bad',
  teal: 'fill-teal',
  orange: 'fill-orange',
  purple: 'fill-purple',
  green: 'fill-green',
  rose: 'fill-rose',
  rest: 'fill-line-strong',
} as const;
export const STROKES = {
  accent: 'stroke-accent',
  second: 'stroke-second',
  bad: 'stroke-bad',
  teal: 'stroke-teal',
  orange: 'stroke-orange',
  purple: 'stroke-purple',
  green: 'stroke-green',
  rose: 'stroke-rose',
  rest: 'stroke-line-strong',
} as const satisfies Record<Colour, string>;
const DOTS = {
  accent: 'bg-accent',
  second: 'bg-second',
  bad: 'bg-bad',
  teal: 'bg-teal',
  orange: 'bg-orange',
  purple: 'bg-purple',
  green: 'bg-green',
  rose: 'bg-rose',
  rest: 'bg-line-strong',
} as const satisfies Record<Colour, string>;

export type Colour = keyof typeof FILLS;

/** Group colours, largest group first. `rest` is for everything else. */
export const GROUP_COLOURS = ['accent', 'teal', 'orange', 'purple', 'green', 'rose'] as const;

export interface Series {
  readonly name: string;
  readonly colour: Colour;
  /** What a click on its part of a bar stands for, such as an id; absent: a click is for the whole bar. */
  readonly key?: string;
  /** One per point; null where the value is unknown. */
  readonly values: readonly (number | null)[];
}

/** The short label stands on the axis, the long one in the readout. */
export interface ChartPoint {
  readonly short: string;
  readonly long: string;
}

export function Dot({ colour }: { colour: Colour }) {
  return <span className={clsx('size-2 shrink-0 rounded-full', DOTS[colour])} aria-hidden />;
}
