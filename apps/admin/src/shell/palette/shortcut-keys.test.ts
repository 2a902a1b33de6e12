import { shortcutOf } from './shortcut-keys';

const press = (key: string, more: Partial<Parameters<typeof shortcutOf>[0]> = {}) =>
  shortcutOf({
    key,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    typing: false,
    ...more,
  });

test('Ctrl K and ⌘ K open the palette, also while a text is typed', () => {
  expect(press('k', { ctrlKey: true, typing: true })).toBe('palette');
  expect(press('K', { metaKey: true })).toBe('palette');
  expect(press('k', { ctrlKey: true, shiftKey: true })).toBeUndefined();
  expect(press('k')).toBeUndefined();
});

test('a question mark in a text is only a character', () => {
  expect(press('?', { shiftKey: true })).toBe('shortcuts');
  expect(press('?', { shiftKey: true, typing: true })).toBeUndefined();
  expect(press('?', { ctrlKey: true })).toBeUndefined();
});
