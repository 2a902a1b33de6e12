import { keysQuery } from './queries';

test('the address says what is listed, as far as it makes sense', () => {
  const query = (text: string) =>
    keysQuery((name) => new URLSearchParams(text).get(name) ?? undefined);
  expect(query('')).toEqual({ limit: 25 });
  expect(query('search=shop&type=TEAM&status=REVOKED&cursor=c')).toEqual({
    limit: 25,
    search: 'shop',
    type: 'TEAM',
    status: 'REVOKED',
    cursor: 'c',
  });
  expect(query('type=X&status=constructor&search=%20')).toEqual({ limit: 25 });
});
