import { rest, type Role } from '@tollgate/contracts';

import { actionsFor } from './actions';

const hrefOf = (page: string): string => `/acme/${page}`;
const of = (role: Role): readonly string[] =>
  rest.ACTIONS.filter((action) => rest.can(role, action));
const names = (...given: Parameters<typeof actionsFor>): string[] =>
  actionsFor(...given).map(({ name }) => name);

test('somebody is offered what they may do, and nothing else', () => {
  expect(names(of('ORG_ADMIN'), '', hrefOf)).toEqual(
    expect.arrayContaining(['New budget', 'Turn off a model…', 'Toggle theme', 'Sign out']),
  );
  expect(names(of('ORG_ADMIN'), '', hrefOf)).not.toContain('Switch to organisation…');
  expect(names(of('USER'), '', hrefOf)).toEqual([
    'New API key',
    'Revoke an API key…',
    'Toggle theme',
    'Keyboard shortcuts',
    'Sign out',
  ]);
});

test('without an organisation there is nothing to create in it', () => {
  expect(names(of('SUPER_ADMIN'), '', undefined)).toEqual([
    'Switch to organisation…',
    'Toggle theme',
    'Keyboard shortcuts',
    'Sign out',
  ]);
});

test('an action is found by its other words too', () => {
  expect(names(of('USER'), 'dark', hrefOf)).toEqual(['Toggle theme']);
  expect(names(of('MANAGER'), 'limit', hrefOf)).toEqual([
    'New budget',
    'New quota',
    'New rate limit',
  ]);
});

test('the form is named in the address, beside its tab and its organisation', () => {
  const [rate] = actionsFor(of('MANAGER'), 'rate limit', (page) => `/admin/${page}?organisation=a`);
  expect(rate?.does).toEqual({ href: '/admin/quotas?organisation=a&tab=rates&do=new' });
});
