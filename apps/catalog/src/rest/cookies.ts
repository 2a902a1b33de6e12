/** The cookies of a request. Names and values are taken as they are: ours need no decoding. */
export function cookiesOf(header: string | undefined): Record<string, string> {
  const cookies: Record<string, string> = {};
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0) cookies[pair.slice(0, at).trim()] = pair.slice(at + 1).trim();
  }
  return cookies;
}

export type CookieOptions = {
  readonly path: string;
  /** 0 takes the cookie away. */
  readonly maxAgeSeconds: number;
  readonly secure: boolean;
  /** Comes along when another site sends the browser here, which a strict one does not. */
  readonly lax?: boolean;
};

/** A cookie that no script sees and, unless it is lax, no other site can send. */
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
