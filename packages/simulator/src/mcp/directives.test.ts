import { readMcpDirectives } from './directives';

test('a name that begins with sim asks, others are only names', () => {
  expect(readMcpDirectives('sim-legacy+status-503+calls', undefined)).toEqual({
    legacy: true,
    status: 503,
    calls: true,
  });
  expect(readMcpDirectives('legacy', undefined)).toEqual({});
  expect(readMcpDirectives('paged', undefined)).toEqual({ pages: 3 });
});

test('a token is a word, and amounts are bounded', () => {
  expect(readMcpDirectives('sim-bearer-a-b_c.pages-999999', undefined)).toEqual({
    bearer: 'a-b_c',
    pages: 100,
  });
});

test('a header adds to the name', () => {
  expect(readMcpDirectives('plain', 'modern, cut-at-5')).toEqual({ modern: true, 'cut-at': 5 });
});
