// Escape closes the innermost layer only: text of a search first, then a form within a window, then the window itself.

/** Marks an element that handles Escape itself, such as a form within a window. */
export const KEEPS_ESCAPE = { 'data-keeps-escape': true } as const;

/** For a layer's `onEscapeKeyDown`: the layer stays open while something within it has a use for Escape. */
export function keepEscape(event: KeyboardEvent): void {
  if (event.target instanceof HTMLElement && usesEscape(event.target)) event.preventDefault();
}

function usesEscape(target: HTMLElement): boolean {
  if (target.closest('[data-keeps-escape]') !== null) return true;
  if (!(target instanceof HTMLInputElement) || target.value === '') return false;
  return target.role === 'combobox' || target.type === 'search';
}
