import { headersOf, headersText, linesOf, numberOrNull, textOrNull } from './typed';

test('an empty field is no number, and neither is a word', () => {
  expect([numberOrNull(''), numberOrNull(' 5'), numberOrNull('five')]).toEqual([
    null,
    5,
    Number.NaN,
  ]);
});

test('headers are typed one per line, and what is none is left for the server to refuse', () => {
  const typed = ' X-Team: search \n\nX-Note: a: b\nno colon\nX-Team: more\n: x';
  expect(headersOf(typed)).toEqual({
    'X-Team': 'search, more',
    'X-Note': 'a: b',
    'no colon': '',
    ': x': '',
  });
  expect(headersOf(headersText({ a: '1', b: '' }))).toEqual({ a: '1', b: '' });
});

test('an empty text is none', () => {
  expect([textOrNull('  '), textOrNull(' v1 ')]).toEqual([null, 'v1']);
});

test('lines without text are left out', () => {
  expect(linesOf(' a \n\n  \nb')).toEqual(['a', 'b']);
});
