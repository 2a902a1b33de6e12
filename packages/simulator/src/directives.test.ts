import { readDirectives } from './directives';

test('directives are read from a model’s name, joined with + or .', () => {
  expect(readDirectives('sim-pace-20+cut-after-3', undefined)).toEqual({
    pace: 20,
    'cut-after': 3,
  });
  expect(readDirectives('sim-tokens-500.sim-no-usage', undefined)).toEqual({
    tokens: 500,
    'no-usage': true,
  });
  expect(readDirectives('sim-mini.slow-first-byte-2000', undefined)).toEqual({
    'slow-first-byte': 2000,
  });
});

test('a header has directives too', () => {
  expect(readDirectives('any', 'status-429, retry-after-2')).toEqual({
    status: 429,
    'retry-after': 2,
  });
});

test.each(['sim', 'sim-mini', 'sim-4.1', 'gpt-4.1-timeout', 'sim-status', 'sim-status-x', ''])(
  '%s asks for nothing',
  (model) => {
    expect(readDirectives(model, undefined)).toEqual({});
  },
);

test('an amount is limited to what the simulator can handle', () => {
  expect(readDirectives('sim-tokens-999999999', undefined)).toEqual({ tokens: 200_000 });
});
