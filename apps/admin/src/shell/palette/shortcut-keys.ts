// Which key presses the console acts on, on every page.

/** The browser's storage has it if a single character opens nothing: voice input types single characters too. */
export const QUESTION_MARK_OFF = 'tollgate.shortcuts.off';

type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'> & {
  /** Whether the focus is where characters are typed. */
  readonly typing: boolean;
};

export function shortcutOf(pressed: Pressed): 'palette' | 'shortcuts' | undefined {
  const { key, ctrlKey, metaKey, altKey, shiftKey, typing } = pressed;
  const command = (ctrlKey || metaKey) && !altKey && !shiftKey;
  if (command && key.toLowerCase() === 'k') return 'palette';
  // Shift is part of typing a question mark on many keyboards.
  if (key === '?' && !ctrlKey && !metaKey && !altKey && !typing) return 'shortcuts';
  return undefined;
}

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches('input, textarea, select');
}
