// CSRF check. Cookies are SameSite=Strict already; this also covers other ports and subdomains of
// the same site.

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Safe methods pass. For others the browser states the origin, in `Sec-Fetch-Site` or in `Origin`,
 * which must then match the requested host. Requests with neither come from no regular browser and
 * are refused.
 */
export function isOwnRequest(method: string, headers: Headers): boolean {
  if (SAFE.has(method)) return true;
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin';
  const origin = hostOf(headers.get('origin'));
  if (origin === undefined) return false;
  return origin === headers.get('host') || origin === headers.get('x-forwarded-host');
}

function hostOf(origin: string | null): string | undefined {
  if (origin === null || !URL.canParse(origin)) return undefined;
  return new URL(origin).host;
}

/** The path to open after sign-in, always within this site. */
export function ownPath(next: string | undefined): string | undefined {
  if (next === undefined || !next.startsWith('/') || /[\\\s]/.test(next)) return undefined;
  const base = 'http://console.invalid';
  if (!URL.canParse(next, base)) return undefined;
  const url = new URL(next, base);
  // "/.//evil.example" looks local, but normalises to "//evil.example".
  if (url.origin !== base || url.pathname.startsWith('//')) return undefined;
  return `${url.pathname}${url.search}`;
}
