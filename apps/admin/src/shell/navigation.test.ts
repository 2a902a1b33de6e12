import { rest } from '@tollgate/contracts';

import { ORGANISATION_NAVIGATION, PLATFORM_NAVIGATION, visible, type Section } from './navigation';
import { homeOf } from './paths';

const pagesOf = (sections: readonly Section[]): string[] =>
  sections.flatMap(({ entries }) => entries.map(({ page }) => page));

const PAGES = [
  'alerts',
  'aliases',
  'apikeys',
  'audit',
  'budgets',
  'corrections',
  'dashboard',
  'experiments',
  'exports',
  'invoices',
  'mcp-servers',
  'models',
  'playground',
  'providers',
  'quotas',
  'refusals',
  'routing',
  'screening',
  'settings',
  'teams',
  'upstreams',
  'usage',
  'users',
];

test('both scopes have a place for each of their pages', () => {
  expect(pagesOf(ORGANISATION_NAVIGATION).toSorted()).toEqual(PAGES);
  expect(pagesOf(PLATFORM_NAVIGATION).toSorted()).toEqual(
    [...PAGES, 'ledger', 'organisations'].toSorted(),
  );
});

test('nobody sees an entry for what the role does not allow', () => {
  const actions = rest.ACTIONS.filter((action) => rest.can('USER', action));
  const pages = pagesOf(visible(ORGANISATION_NAVIGATION, actions));
  expect(pages).toContain('apikeys');
  for (const page of ['audit', 'providers', 'routing', 'upstreams'])
    expect(pages).not.toContain(page);
  for (const page of ['ledger', 'organisations']) {
    expect(pagesOf(visible(PLATFORM_NAVIGATION, actions))).not.toContain(page);
  }
});

test('work begins in the own organisation, or at the platform', () => {
  const organisation = { id: 'i', name: 'N', slug: 'northwind', timeZone: 'UTC' };
  expect(homeOf({ role: 'USER', organisation })).toBe('/northwind/dashboard');
  expect(homeOf({ role: 'SUPER_ADMIN', organisation: null })).toBe('/admin/dashboard');
});
