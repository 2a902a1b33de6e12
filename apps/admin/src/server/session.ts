// The session cookies: the browser stores the catalog's two tokens in cookies that scripts cannot
// read and other sites cannot send. Pure; refresh.ts exchanges tokens.

/** The tokens of a sign-in or refresh. Lifetimes are in seconds. */
export interface Tokens {
  readonly access: string;
  readonly accessSeconds: number;
  readonly refresh: string;
  readonly refreshSeconds: number;
}

/** The tokens of a request. An expired access token is absent. */
export interface Session {
  readonly access: string | undefined;
  readonly refresh: string | undefined;
}

const ACCESS_COOKIE = 'tollgate_console_access';
const REFRESH_COOKIE = 'tollgate_console_refresh';

/** A token close to expiry could fail at the catalog. */
const EARLY_SECONDS = 15;

/** Tokens consist of these characters only. Other values are ignored. */
const TOKEN = /^[A-Za-z0-9._~+/=-]{1,4000}$/;

export function readSession(cookieHeader: string | null): Session {
  const cookies = cookiesOf(cookieHeader);
  return { access: tokenOf(cookies, ACCESS_COOKIE), refresh: tokenOf(cookies, REFRESH_COOKIE) };
}

/** The Set-Cookie headers that start or renew a session. */
export function sessionCookies(tokens: Tokens, secure: boolean): string[] {
  const accessSeconds = Math.max(1, tokens.accessSeconds - EARLY_SECONDS);
  return [
    setCookie(ACCESS_COOKIE, tokens.access, accessSeconds, secure),
    setCookie(REFRESH_COOKIE, tokens.refresh, tokens.refreshSeconds, secure),
  ];
}

/** The Set-Cookie headers that end it. */
export function endedCookies(secure: boolean): string[] {
  return [setCookie(ACCESS_COOKIE, '', 0, secure), setCookie(REFRESH_COOKIE, '', 0, secure)];
}

/** The Cookie header with the new tokens, for the rest of this request. */
export function withTokens(cookieHeader: string | null, tokens: Tokens): string {
  const cookies = cookiesOf(cookieHeader);
  cookies.set(ACCESS_COOKIE, tokens.access);
  cookies.set(REFRESH_COOKIE, tokens.refresh);
  return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
}

/** Whether the browser's connection is encrypted, according to the proxy in front. */
export function isEncrypted(headers: Headers): boolean {
  return headers.get('x-forwarded-proto')?.split(',')[0]?.trim() === 'https';
}

/** Value and lifetime of a cookie in Set-Cookie headers; undefined when it is deleted. */
export function cookieSet(
  headers: readonly string[],
  name: string,
): { value: string; maxAgeSeconds: number } | undefined {
  for (const header of headers) {
    const [pair = '', ...attributes] = header.split(';').map((part) => part.trim());
    if (!pair.startsWith(`${name}=`)) continue;
    const value = pair.slice(name.length + 1);
    const maxAge = attributes.find((attribute) => /^max-age=\d+$/i.test(attribute));
    const maxAgeSeconds = Number(maxAge?.slice('max-age='.length) ?? 0);
    return value === '' || maxAgeSeconds === 0 ? undefined : { value, maxAgeSeconds };
  }
  return undefined;
}

export function cookieIn(cookieHeader: string | null, name: string): string | undefined {
  return cookiesOf(cookieHeader).get(name);
}

function setCookie(name: string, value: string, maxAgeSeconds: number, secure: boolean): string {
  const parts = [`${name}=${value}`, 'Path=/', `Max-Age=${maxAgeSeconds}`];
  return [...parts, 'HttpOnly', 'SameSite=Strict', ...(secure ? ['Secure'] : [])].join('; ');
}

function cookiesOf(header: string | null): Map<string, string> {
  const cookies = new Map<string, string>();
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0) cookies.set(pair.slice(0, at).trim(), pair.slice(at + 1).trim());
  }
  return cookies;
}

function tokenOf(cookies: ReadonlyMap<string, string>, name: string): string | undefined {
  const value = cookies.get(name);
  return value !== undefined && TOKEN.test(value) ? value : undefined;
}
