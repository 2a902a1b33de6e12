const PAGE = 8;

type Modifiers = Pick<KeyboardEvent, 'altKey' | 'ctrlKey' | 'metaKey'>;

/** Keys with Alt, Ctrl or Meta are the browser's: Alt and an arrow go back or forward. Shift is not among them. */
export function isOfBrowser({ altKey, ctrlKey, metaKey }: Modifiers): boolean {
  return altKey || ctrlKey || metaKey;
}

/**
 * The selected index of a combobox's list after a key press; undefined for other keys. `at` is undefined while nothing is
 * selected.
 */
export function moved(key: string, at: number | undefined, count: number): number | undefined {
  if (count === 0) return undefined;
  switch (key) {
    case 'ArrowDown':
      return at === undefined ? 0 : (at + 1) % count;
    case 'ArrowUp':
      return at === undefined ? count - 1 : (at - 1 + count) % count;
    case 'PageDown':
      return Math.min((at ?? -1) + PAGE, count - 1);
    case 'PageUp':
      return Math.max((at ?? count) - PAGE, 0);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}
