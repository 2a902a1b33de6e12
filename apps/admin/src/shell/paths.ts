import type { rest } from '@tollgate/contracts';

import type { ScopeValue } from './scope';

/** Query parameter of platform pages: the slug of the chosen organisation. */
export const ORGANISATION_PARAMETER = 'organisation';

/** All URLs of the console are built here. */
export const paths = {
  login: (next?: string) =>
    next === undefined || next === '/' ? '/login' : `/login?next=${encodeURIComponent(next)}`,
  /** The sign-in page with the reason why single sign-on failed. */
  signInFailed: (code: string) => `/login?error=${encodeURIComponent(code)}`,
  forgotPassword: '/forgot-password',
  platform: (page: string) => `/admin/${page}`,
  organisation: (slug: string, page: string) => `/${encodeURIComponent(slug)}/${page}`,
};

/**
 * A page of the current scope: the organisation's own, or the platform's with the organisation
 * kept.
 */
export function pageOf(scope: Pick<ScopeValue, 'organisation' | 'platform'>, page: string): string {
  const { organisation, platform } = scope;
  if (organisation === null) return paths.platform(page);
  if (!platform) return paths.organisation(organisation.slug, page);
  return `${paths.platform(page)}?${ORGANISATION_PARAMETER}=${encodeURIComponent(organisation.slug)}`;
}

/**
 * A page of the navigation: the organisation's own, or the platform's with the chosen organisation
 * kept.
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

/** The user's first page after sign-in. */
export function homeOf(me: Pick<rest.Me, 'role' | 'organisation'>): string {
  return me.organisation === null
    ? paths.platform('dashboard')
    : paths.organisation(me.organisation.slug, 'dashboard');
}

/** Adds query parameters to a path. Undefined ones are left out. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
): string {
  const [base = '', known = ''] = path.split('?');
  const search = new URLSearchParams(known);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value));
  }
  const text = search.toString();
  return text === '' ? base : `${base}?${text}`;
}
