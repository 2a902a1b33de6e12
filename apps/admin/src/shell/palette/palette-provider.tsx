'use client';

import { Search } from 'lucide-react';
import dynamic from 'next/dynamic';
import { createContext, use, useCallback, useEffect, useState, type ReactNode } from 'react';

import { isTyping, QUESTION_MARK_OFF, shortcutOf } from './shortcut-keys';

// Opens the palette and the list of shortcuts. Their code loads on first use.

const Palette = dynamic(() => import('./palette').then((module) => module.Palette), { ssr: false });
const Shortcuts = dynamic(() => import('./shortcuts').then((module) => module.Shortcuts), {
  ssr: false,
});
const Open = createContext<() => void>(() => undefined);

export function PaletteProvider({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState<'palette' | 'shortcuts'>();
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey, shiftKey, target } = event;
      const typing = isTyping(target);
      const meant = shortcutOf({ key, ctrlKey, metaKey, altKey, shiftKey, typing });
      if (meant === undefined || (meant === 'shortcuts' && !mayUseCharacter())) return;
      event.preventDefault();
      setOpen((was) => (was === 'palette' && meant === was ? undefined : meant));
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
  return (
    <Open value={useCallback(() => setOpen('palette'), [])}>
      {children}
      {open === 'palette' && (
        <Palette onClose={() => setOpen(undefined)} onShortcuts={() => setOpen('shortcuts')} />
      )}
      {open === 'shortcuts' && <Shortcuts onClose={() => setOpen(undefined)} />}
    </Open>
  );
}

/** In a dialog or a menu a single character belongs to it. */
function mayUseCharacter(): boolean {
  try {
    if (localStorage.getItem(QUESTION_MARK_OFF) !== null) return false;
  } catch {
    // Without storage it was never turned off.
  }
  return document.querySelector('[role=dialog], [role=alertdialog], [role=menu]') === null;
}

/** A button for users who do not know the shortcut. `onOpen` runs first, such as closing a menu. */
export function PaletteButton({ onOpen }: { onOpen: () => void }) {
  const open = use(Open);
  return (
    <button
      type="button"
      aria-keyshortcuts="Control+K Meta+K"
      onClick={() => {
        onOpen();
        open();
      }}
      className="mx-4 mb-3 flex h-8 items-center gap-2 rounded-md border bg-sunken px-2 text-sm text-ink-soft hover:bg-hover hover:text-ink"
    >
      <Search className="size-4" aria-hidden />
      Go to…
      <kbd aria-hidden className="ml-auto font-sans text-xs text-ink-faint max-lg:hidden">
        Ctrl K
      </kbd>
    </button>
  );
}
