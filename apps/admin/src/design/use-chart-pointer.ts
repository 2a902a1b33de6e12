'use client';

import { useState, type KeyboardEvent, type PointerEvent } from 'react';

import { isOfBrowser } from './moved';

/** What can be done with a chart, beside reading it. */
export interface ChartActions {
  /** A bar was clicked, or a period marked: the first and the last point. */
  readonly onRange?: ((first: number, last: number) => void) | undefined;
  /** A part of a bar was clicked whose series has this key. */
  readonly onPick?: ((key: string) => void) | undefined;
}

interface Marking {
  readonly from: number;
  readonly key: string | undefined;
  readonly byPointer: boolean;
}

const MOVES: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  Home: -Infinity,
  End: Infinity,
};

/**
 * The point that is read, and the period that is being marked: by dragging, or with Shift and the arrow keys. A finger only
 * reads, because a tap that changes the page would make reading impossible.
 */
export function useChartPointer(count: number, { onRange, onPick }: ChartActions) {
  const [at, setAt] = useState<number>();
  const [marking, setMarking] = useState<Marking>();
  const within = (index: number): number => Math.min(count - 1, Math.max(0, index));
  const pointOf = (event: PointerEvent<HTMLElement>): number => {
    const box = event.currentTarget.getBoundingClientRect();
    return within(Math.floor(((event.clientX - box.left) / box.width) * count));
  };
  const end = (): void => {
    setMarking(undefined);
    setAt(undefined);
  };
  const range = (from: number, to: number): void => {
    end();
    onRange?.(Math.min(from, to), Math.max(from, to));
  };

  const press = (event: KeyboardEvent): void => {
    if (isOfBrowser(event)) return;
    if (event.key === 'Escape') end();
    if (event.key === 'Enter' && at !== undefined) range(marking?.from ?? at, at);
    const move = MOVES[event.key];
    if (move === undefined) return;
    event.preventDefault();
    const next = within((at ?? (move > 0 ? -1 : count)) + move);
    if (!event.shiftKey) setMarking(undefined);
    else if (marking === undefined) {
      setMarking({ from: at ?? next, key: undefined, byPointer: false });
    }
    setAt(next);
  };

  const marked =
    marking === undefined || at === undefined || (marking.byPointer && marking.from === at)
      ? undefined
      : { first: Math.min(marking.from, at), last: Math.max(marking.from, at) };
  return {
    at,
    marked: onRange === undefined ? undefined : marked,
    handlers: {
      onPointerMove: (event: PointerEvent<HTMLElement>) => setAt(pointOf(event)),
      onPointerLeave: () => {
        if (marking === undefined) setAt(undefined);
      },
      onPointerDown: (event: PointerEvent<HTMLElement>) => {
        if (event.pointerType === 'touch' || event.button !== 0 || onRange === undefined) return;
        const { target } = event;
        const key = target instanceof SVGElement ? target.dataset['key'] : undefined;
        // The drag goes on outside of the chart.
        event.currentTarget.setPointerCapture(event.pointerId);
        setMarking({ from: pointOf(event), key, byPointer: true });
      },
      onPointerUp: (event: PointerEvent<HTMLElement>) => {
        if (marking?.byPointer !== true) return;
        const to = pointOf(event);
        if (to === marking.from && marking.key !== undefined && onPick !== undefined) {
          end();
          onPick(marking.key);
        } else range(marking.from, to);
      },
      onPointerCancel: end,
      onKeyDown: press,
      onBlur: end,
    },
  };
}
