import type { LucideIcon } from 'lucide-react';

import { visible, type Section } from '../navigation';

// The palette's choices and selection. Pure.

export interface Choice {
  readonly href: string;
  readonly name: string;
  readonly note?: string;
  readonly icon?: LucideIcon;
}
export interface Group {
  readonly title: string;
  readonly choices: readonly Choice[];
}

/** Pages whose names match the text; prefix matches come first. */
export function pagesFor(
  sections: readonly Section[],
  actions: readonly string[],
  text: string,
  hrefOf: (page: string) => string,
): readonly Choice[] {
  const wanted = text.toLowerCase();
  return visible(sections, actions)
    .flatMap(({ entries }) => entries)
    .filter(({ ready, label }) => ready === true && label.toLowerCase().includes(wanted))
    .map(({ page, label, icon }) => ({ href: hrefOf(page), name: label, icon }))
    .toSorted((a, b) => beginsWith(b.name, wanted) - beginsWith(a.name, wanted));
}

function beginsWith(name: string, wanted: string): number {
  return Number(name.toLowerCase().startsWith(wanted));
}

/** The selected index after a key press; undefined for other keys. */
export function moved(key: string, at: number, count: number): number | undefined {
  if (count === 0) return undefined;
  switch (key) {
    case 'ArrowDown':
      return (at + 1) % count;
    case 'ArrowUp':
      return (at - 1 + count) % count;
    case 'PageDown':
      return Math.min(at + 8, count - 1);
    case 'PageUp':
      return Math.max(at - 8, 0);
    default:
      return undefined;
  }
}
