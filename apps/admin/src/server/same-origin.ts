// Whether a request that changes something was made by our own pages. Cookies are SameSite=Strict
// already; this holds where that does not, such as another port or subdomain of the same site.

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Safe methods always pass. Of the others the browser says where they come from: in
 * `Sec-Fetch-Site`, or in `Origin`, which must then be the host that was asked. A request that says
 * neither comes from no browser that a person uses, and is refused.
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

/** Where to go after sign-in: a path of this site, never another one. */
export function ownPath(next: string | undefined): string | undefined {
  if (next === undefined || !next.startsWith('/') || /[\\\s]/.test(next)) return undefined;
  const base = 'http://console.invalid';
  if (!URL.canParse(next, base)) return undefined;
  const url = new URL(next, base);
  // "/.//evil.example" is of this site as it stands, and "//evil.example" once it is normalised.
  if (url.origin !== base || url.pathname.startsWith('//')) return undefined;
  return `${url.pathname}${url.search}`;
}
