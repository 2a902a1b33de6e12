'use client';

import { useCallback, useSyncExternalStore } from 'react';

const CHANGED = 'tollgate:stored';

/**
 * A text that this browser keeps, such as which columns somebody likes to see. Undefined on the
 * server and until the page is alive, and where the browser keeps nothing.
 */
export function useStored(name: string): [string | undefined, (value: string | undefined) => void] {
  const value = useSyncExternalStore(
    subscribe,
    () => read(name),
    () => undefined,
  );
  const store = useCallback(
    (next: string | undefined) => {
      try {
        if (next === undefined) localStorage.removeItem(name);
        else localStorage.setItem(name, next);
      } catch {
        // A browser that keeps nothing shows what everybody sees at first.
      }
      dispatchEvent(new Event(CHANGED));
    },
    [name],
  );
  return [value, store];
}

function read(name: string): string | undefined {
  try {
    return localStorage.getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** `storage` tells of other windows only. */
function subscribe(onChange: () => void): () => void {
  addEventListener('storage', onChange);
  addEventListener(CHANGED, onChange);
  return () => {
    removeEventListener('storage', onChange);
    removeEventListener(CHANGED, onChange);
  };
}
