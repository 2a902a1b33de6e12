'use client';

import { Search } from 'lucide-react';
import dynamic from 'next/dynamic';
import { createContext, use, useCallback, useEffect, useState, type ReactNode } from 'react';

// Opens the palette. Its code loads on first use.

const Palette = dynamic(() => import('./palette').then((module) => module.Palette), { ssr: false });
const Open = createContext<() => void>(() => undefined);

export function PaletteProvider({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const meant = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      if (!meant || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      setOpen((was) => !was);
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
  return (
    <Open value={useCallback(() => setOpen(true), [])}>
      {children}
      {open && <Palette onClose={() => setOpen(false)} />}
    </Open>
  );
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
