'use client';

import { usePathname, useRouter, useSearchParams } from 'next/navigation';
import { useCallback, useState } from 'react';

/**
 * Keeps a list's filters and page cursor in the URL. Changing a filter returns to the first page.
 * Cursors only lead forward, so the previous ones are kept alongside; a list opened in the middle
 * goes back to its first page.
 */
export function useListQuery() {
  const router = useRouter();
  const pathname = usePathname();
  const search = useSearchParams();
  const [trail, setTrail] = useState<readonly (string | undefined)[]>([]);
  const cursor = search.get('cursor') ?? undefined;

  const go = useCallback(
    (changes: Record<string, string | undefined>): void => {
      const next = new URLSearchParams(search);
      for (const [name, value] of Object.entries(changes)) {
        if (value === undefined || value === '') next.delete(name);
        else next.set(name, value);
      }
      const text = next.toString();
      router.replace(text === '' ? pathname : `${pathname}?${text}`, { scroll: false });
    },
    [router, pathname, search],
  );

  return {
    cursor,
    get: (name: string): string | undefined => search.get(name) ?? undefined,
    set: useCallback(
      (name: string, value: string | undefined): void => {
        setTrail([]);
        go({ [name]: value, cursor: undefined });
      },
      [go],
    ),
    /** Removes parameters that are not filters. */
    clear: useCallback(
      (names: readonly string[]): void =>
        go(Object.fromEntries(names.map((name) => [name, undefined]))),
      [go],
    ),
    onNext: (nextCursor: string | null): (() => void) | undefined =>
      nextCursor === null
        ? undefined
        : () => {
            setTrail([...trail, cursor]);
            go({ cursor: nextCursor });
          },
    onPrevious:
      cursor === undefined
        ? undefined
        : () => {
            setTrail(trail.slice(0, -1));
            go({ cursor: trail.at(-1) });
          },
  };
}
