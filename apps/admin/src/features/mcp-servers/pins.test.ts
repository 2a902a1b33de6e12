import { rest } from '@tollgate/contracts';

import { fitsPins, missingPins, pinned, pinStateOf, unpinned } from './pins';

const tool = (name: string, sha256 = name) => ({ name, sha256 });
const pins = [tool('search'), tool('read')];

test.each([
  [tool('search'), 'MATCH'],
  [tool('search', 'another'), 'CHANGED'],
  [tool('write'), 'NONE'],
] as const)('%j is %s', (tested, state) => {
  expect(pinStateOf(pins, tested)).toBe(state);
});

test('pinning a changed tool replaces its pin, and unpinning removes only that one', () => {
  const after = pinned(pins, [tool('search', 'another'), tool('write')]);
  expect(after).toEqual([tool('read'), tool('search', 'another'), tool('write')]);
  expect(unpinned(after, ['search'])).toEqual([tool('read'), tool('write')]);
});

test('a pinned tool that the server no longer lists is missing, unless the list was cut short', () => {
  const tools = [
    { ...tool('search'), title: null, description: null, inputSchema: {}, pin: 'MATCH' as const },
  ];
  expect(missingPins(pins, { tools, truncated: false })).toEqual(['read']);
  expect(missingPins(pins, { tools, truncated: true })).toEqual([]);
});

test('there is a limit of pins', () => {
  const many = Array.from({ length: rest.MCP_MAX_TOOLS + 1 }, (_, index) => tool(String(index)));
  expect([fitsPins(many.slice(1)), fitsPins(many)]).toEqual([true, false]);
});
