'use client';

import { useCallback, useSyncExternalStore } from 'react';

const CHANGED = 'tollgate:stored';

/**
 * A text in this browser's storage, such as the chosen columns. Undefined on the server, before
 * hydration, and where storage is unavailable.
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
        // Without storage the defaults apply.
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

/** The `storage` event fires in other windows only. */
function subscribe(onChange: () => void): () => void {
  addEventListener('storage', onChange);
  addEventListener(CHANGED, onChange);
  return () => {
    removeEventListener('storage', onChange);
    removeEventListener(CHANGED, onChange);
  };
}
