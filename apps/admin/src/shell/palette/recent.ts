import { z } from 'zod';

import { ORGANISATION_PARAMETER } from '../paths';

// The objects whose pages a user opened last, in this browser only, until they sign out.

export interface RecentObject {
  readonly href: string;
  readonly name: string;
  /** What it is: "API key". */
  readonly note: string;
}

const PREFIX = 'tollgate.recent.';
const KEPT = 12;

const stored = z
  .array(z.object({ href: z.string().startsWith('/'), name: z.string(), note: z.string() }))
  .max(KEPT)
  .catch([]);

/** The newest first; opened again, an object moves to the front. */
export function withObject(
  known: readonly RecentObject[],
  opened: RecentObject,
): readonly RecentObject[] {
  return [opened, ...known.filter(({ href }) => href !== opened.href)].slice(0, KEPT);
}

/** Objects of the pages that the user is on: those of the platform, or of one organisation. */
export function within(
  known: readonly RecentObject[],
  { platform, slug }: { readonly platform: boolean; readonly slug: string | undefined },
): readonly RecentObject[] {
  const place = platform ? 'admin' : encodeURIComponent(slug ?? '');
  return known.filter(({ href }) => href.startsWith(`/${place}/`));
}

/** The page's address, with its organisation but without tabs and filters. */
export function hrefNow(): string {
  const { pathname, search } = location;
  const slug = new URLSearchParams(search).get(ORGANISATION_PARAMETER);
  if (slug === null) return pathname;
  return `${pathname}?${ORGANISATION_PARAMETER}=${encodeURIComponent(slug)}`;
}

export function recentObjects(userId: string): readonly RecentObject[] {
  try {
    return stored.parse(JSON.parse(localStorage.getItem(PREFIX + userId) ?? '[]'));
  } catch {
    // Storage is unavailable, or another program wrote to it.
    return [];
  }
}

export function rememberObject(userId: string, opened: RecentObject): void {
  try {
    const next = withObject(recentObjects(userId), opened);
    localStorage.setItem(PREFIX + userId, JSON.stringify(next));
  } catch {
    // Without storage nothing is remembered.
  }
}

/** Removes what was remembered of every user of this browser. */
export function forgetObjects(): void {
  try {
    for (const name of Object.keys(localStorage)) {
      if (name.startsWith(PREFIX)) localStorage.removeItem(name);
    }
  } catch {
    // Nothing was stored.
  }
}
