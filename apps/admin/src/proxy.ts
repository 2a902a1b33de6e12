import { randomBytes } from 'node:crypto';
import { withDeadline } from '@tollgate/kit';
import { NextResponse, type NextRequest } from 'next/server';

import { PATH_HEADER } from './server/page-headers';
import { runtime } from './server/runtime';
import { contentSecurityPolicy, securityHeaders } from './server/security-headers';
import {
  endedCookies,
  isEncrypted,
  readSession,
  sessionCookies,
  withTokens,
} from './server/session';
import { paths } from './shell/paths';

// Runs before every page, but not `/api`: renews the session, redirects to the sign-in page without
// one, and adds security headers.

const RENEWAL_WAIT_MS = 3_000;
const PUBLIC = new Set(['/login', '/forgot-password', '/reset-password', '/accept-invitation']);

export async function proxy(request: NextRequest): Promise<Response> {
  const { pathname, search } = request.nextUrl;
  const encrypted = isEncrypted(request.headers);
  const headers = new Headers(request.headers);
  headers.set(PATH_HEADER, `${pathname}${search}`);

  const { cookies, signedIn } = await renewed(request, headers, encrypted);
  if (!signedIn && !PUBLIC.has(pathname)) {
    // Uses the requested host. Next would use the address it listens on.
    const host = request.headers.get('host') ?? request.nextUrl.host;
    const target = new URL(
      paths.login(`${pathname}${search}`),
      `${encrypted ? 'https' : 'http'}://${host}`,
    );
    return finished(NextResponse.redirect(target), encrypted, cookies);
  }

  const policy = contentSecurityPolicy(randomBytes(16).toString('base64'));
  // Next reads the nonce for its scripts from this header.
  headers.set('content-security-policy', policy);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set('content-security-policy', policy);
  return finished(response, encrypted, cookies);
}

/**
 * Exchanges the refresh token when the access token has expired, and passes the new one to the
 * page.
 */
async function renewed(
  request: NextRequest,
  headers: Headers,
  encrypted: boolean,
): Promise<{ cookies: string[]; signedIn: boolean }> {
  const cookieHeader = request.headers.get('cookie');
  const session = readSession(cookieHeader);
  if (session.access !== undefined) return { cookies: [], signedIn: true };
  if (session.refresh === undefined) return { cookies: [], signedIn: false };
  try {
    // The page can still say in time that the catalog does not answer. The exchange goes on, and the next request
    // gets its tokens.
    const renewal = runtime().refresh(session.refresh);
    const tokens = await withDeadline(renewal, RENEWAL_WAIT_MS, 'the renewal of a session');
    if (tokens === undefined) return { cookies: endedCookies(encrypted), signedIn: false };
    headers.set('cookie', withTokens(cookieHeader, tokens));
    return { cookies: sessionCookies(tokens, encrypted), signedIn: true };
  } catch (error) {
    // The page reports that the catalog is down. The session is kept.
    runtime().log.error('a session could not be renewed', { error });
    return { cookies: [], signedIn: true };
  }
}

function finished(response: NextResponse, encrypted: boolean, cookies: string[]): NextResponse {
  for (const [name, value] of Object.entries(securityHeaders(encrypted))) {
    response.headers.set(name, value);
  }
  for (const cookie of cookies) response.headers.append('set-cookie', cookie);
  return response;
}

export const config = { matcher: '/((?!api/|_next/static/|icon.svg).*)' };
