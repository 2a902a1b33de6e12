import { rest } from '@tollgate/contracts';

import { isFiltered, listInput } from './list-input';

const get =
  (address: Record<string, string>) =>
  (name: string): string | undefined =>
    address[name];

test('a list asks for what its endpoint takes, and for nothing else in the address', () => {
  const input = listInput(
    rest.listApiKeys,
    get({ search: 'prod', status: 'REVOKED', type: 'nonsense', organisation: 'acme', tab: 'x' }),
  );
  expect(input).toEqual({ limit: 25, total: 'true', search: 'prod', status: 'REVOKED' });
  expect(isFiltered(input)).toBe(true);
});

test('sorting and paging are no filters', () => {
  const input = listInput(rest.listTeams, get({ sort: '-name', cursor: 'abc', search: '  ' }));
  expect(input).toEqual({ limit: 25, total: 'true', sort: '-name', cursor: 'abc' });
  expect(isFiltered(input)).toBe(false);
});

test('what the page fixes, the address cannot change', () => {
  const fixed = { scopeType: 'TEAM', limit: 5 };
  const input = listInput(rest.listBudgets, get({ scopeType: 'USER', limit: '200' }), fixed);
  expect(input).toEqual({ limit: 5, total: 'true', scopeType: 'TEAM' });
  expect(isFiltered(input, fixed)).toBe(false);
});

test('an endpoint without a list is a mistake of the page', () => {
  expect(() =>
    listInput({ ...rest.listTeams, query: rest.listTeams.response }, get({})),
  ).not.toThrow();
  expect(() => listInput({ ...rest.listTeams, query: rest.usd }, get({}))).toThrow(TypeError);
});
