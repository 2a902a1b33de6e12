import type { rest } from '@tollgate/contracts';

/** Every address of the console is built here. */
export const paths = {
  login: (next?: string) =>
    next === undefined || next === '/' ? '/login' : `/login?next=${encodeURIComponent(next)}`,
  platform: (page: string) => `/admin/${page}`,
  organisation: (slug: string, page: string) => `/${encodeURIComponent(slug)}/${page}`,
};

/** Where a user's work begins. */
export function homeOf(me: Pick<rest.Me, 'role' | 'organisation'>): string {
  return me.organisation === null
    ? paths.platform('dashboard')
    : paths.organisation(me.organisation.slug, 'dashboard');
}
