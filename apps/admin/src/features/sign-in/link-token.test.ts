import { tokenIn } from './link-token';

const TOKEN = 'a-b_'.repeat(10) + 'xyz';

test('the token is read out of the fragment, whatever is beside it', () => {
  expect(tokenIn(`#token=${TOKEN}`)).toBe(TOKEN);
  expect(tokenIn(`#a=b&token=${TOKEN}`)).toBe(TOKEN);
});

test.each(['', '#', '#token=', `#token=${TOKEN}x`, `#${TOKEN}`, `#token=${TOKEN.slice(1)}%20`])(
  'a link that was cut or changed has none: %s',
  (hash) => {
    expect(tokenIn(hash)).toBeNull();
  },
);
