import { isOfBrowser, moved } from './moved';

test('the arrows go around, the page keys do not', () => {
  expect(moved('ArrowDown', 2, 3)).toBe(0);
  expect(moved('ArrowUp', 0, 3)).toBe(2);
  expect(moved('PageDown', 0, 3)).toBe(2);
  expect(moved('PageUp', 2, 3)).toBe(0);
  expect(moved('a', 0, 3)).toBeUndefined();
  expect(moved('ArrowDown', 0, 0)).toBeUndefined();
});

test('the first key selects an end of the list', () => {
  expect(moved('ArrowDown', undefined, 3)).toBe(0);
  expect(moved('ArrowUp', undefined, 3)).toBe(2);
  expect(moved('Home', 1, 3)).toBe(0);
  expect(moved('End', undefined, 3)).toBe(2);
});

test.each(['altKey', 'ctrlKey', 'metaKey'])('a key with %s is left to the browser', (name) => {
  const none = { altKey: false, ctrlKey: false, metaKey: false };
  expect(isOfBrowser(none)).toBe(false);
  expect(isOfBrowser({ ...none, [name]: true })).toBe(true);
});
