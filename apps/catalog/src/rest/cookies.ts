/** The cookies of a request. Values are not decoded: ours need no encoding. */
export function cookiesOf(header: string | undefined): Record<string, string> {
  const cookies: Record<string, string> = {};
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0) cookies[pair.slice(0, at).trim()] = pair.slice(at + 1).trim();
  }
  return cookies;
}

export interface CookieOptions {
  readonly path: string;
  /** 0 deletes the cookie. */
  readonly maxAgeSeconds: number;
  readonly secure: boolean;
  /** SameSite=Lax: also sent when another site navigates here. */
  readonly lax?: boolean;
}

/** A cookie that is HttpOnly and SameSite=Strict, unless `lax`. */
export function cookieHeader(name: string, value: string, options: CookieOptions): string {
  const parts = [
    `${name}=${value}`,
    `Path=${options.path}`,
    `Max-Age=${options.maxAgeSeconds}`,
    'HttpOnly',
    `SameSite=${options.lax === true ? 'Lax' : 'Strict'}`,
  ];
  if (options.secure) parts.push('Secure');
  return parts.join('; ');
}
