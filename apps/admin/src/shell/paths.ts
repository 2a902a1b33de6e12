import type { rest } from '@tollgate/contracts';
import type { ScopeValue } from './scope';

/** At the platform's pages: the slug of the organisation that is looked at. */
export const ORGANISATION_PARAMETER = 'organisation';

/** Every address of the console is built here. */
export const paths = {
  login: (next?: string) =>
    next === undefined || next === '/' ? '/login' : `/login?next=${encodeURIComponent(next)}`,
  /** The sign-in page, saying why single sign-on ended without a session. */
  signInFailed: (code: string) => `/login?error=${encodeURIComponent(code)}`,
  forgotPassword: '/forgot-password',
  platform: (page: string) => `/admin/${page}`,
  organisation: (slug: string, page: string) => `/${encodeURIComponent(slug)}/${page}`,
};

/** A page of what is looked at: the organisation's own, or the platform's with the organisation kept. */
export function pageOf(scope: Pick<ScopeValue, 'organisation' | 'platform'>, page: string): string {
  const { organisation, platform } = scope;
  if (organisation === null) return paths.platform(page);
  if (!platform) return paths.organisation(organisation.slug, page);
  return `${paths.platform(page)}?${ORGANISATION_PARAMETER}=${encodeURIComponent(organisation.slug)}`;
}

/**
 * A page of the navigation: the organisation's own, or the platform's, which stays with the
 * organisation that is looked at.
 */
export function pageIn(
  { organisation }: Pick<ScopeValue, 'organisation'>,
  page: string,
  looked: string | null,
): string {
  if (organisation !== null) return paths.organisation(organisation.slug, page);
  const path = paths.platform(page);
  return looked === null ? path : `${path}?${ORGANISATION_PARAMETER}=${encodeURIComponent(looked)}`;
}

/** Where a user's work begins. */
export function homeOf(me: Pick<rest.Me, 'role' | 'organisation'>): string {
  return me.organisation === null
    ? paths.platform('dashboard')
    : paths.organisation(me.organisation.slug, 'dashboard');
}
