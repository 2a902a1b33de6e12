import { useSyncExternalStore } from 'react';

const TOKEN = /^[\w-]{43}$/;

/** The token of a link, in the fragment so that no server sees it; null without one. */
export function tokenIn(hash: string): string | null {
  const token = new URLSearchParams(hash.replace(/^#/, '')).get('token');
  return token !== null && TOKEN.test(token) ? token : null;
}

/** The token of the page's URL; undefined before hydration. */
export function useLinkToken(): string | null | undefined {
  return useSyncExternalStore(subscribe, read, unknown);
}

function subscribe(changed: () => void): () => void {
  addEventListener('hashchange', changed);
  return () => removeEventListener('hashchange', changed);
}

const read = (): string | null => tokenIn(location.hash);
const unknown = (): undefined => undefined;
