import { readAllTools, type AskTools } from './read-tools';

async function read(ask: AskTools, nowMs = () => 0): Promise<string[]> {
  const names: string[] = [];
  await readAllTools(ask, { visit: (name) => names.push(name), nowMs });
  return names;
}

/** A list of pages without end. */
const endless =
  (tools = 1): AskTools =>
  async (cursor = '0') => ({
    tools: Array.from({ length: tools }, (_, n) => ({ name: `t${cursor}-${n}` })),
    nextCursor: `${Number(cursor) + 1}`,
  });

test('all pages are read in their order, and entries without a name are left out', async () => {
  const pages: Record<string, unknown> = {
    first: { tools: [{ name: 'a' }, { name: 7 }, 'b', null], nextCursor: '' },
    '': { tools: [], nextCursor: 'x' },
    x: { tools: [{ name: 'c' }], nextCursor: null },
  };
  expect(await read(async (cursor = 'first') => pages[cursor])).toEqual(['a', 'c']);
});

test.each([
  ['no result', undefined],
  ['a list in place of a result', []],
  ['no list', {}],
  ['a list that is an object', { tools: {} }],
  ['a cursor that is a number', { tools: [], nextCursor: 2 }],
  ['a cursor beyond the limit', { tools: [], nextCursor: 'x'.repeat(4_097) }],
])('an answer with %s is an error', async (_what, result) => {
  await expect(read(async () => result)).rejects.toMatchObject({
    error: { code: 'upstream_error' },
  });
});

test('a cursor that comes again is an error', async () => {
  const ask = jest.fn(async () => ({ tools: [], nextCursor: 'same' }));
  await expect(read(ask)).rejects.toThrow('leads back');
  expect(ask).toHaveBeenCalledTimes(2);
});

test('pages, tools and time are limited', async () => {
  const ask = jest.fn(endless());
  await expect(read(ask)).rejects.toThrow('more than 100 pages');
  expect(ask).toHaveBeenCalledTimes(100);
  await expect(read(endless(5_001))).rejects.toThrow('more than 10000 tools');
  let nowMs = 0;
  await expect(read(endless(), () => (nowMs += 5_000))).rejects.toThrow('more than 15000 ms');
});

test('a failed question is the failure of the reading', async () => {
  const lost = new Error('the session is gone');
  await expect(read(() => Promise.reject(lost))).rejects.toBe(lost);
});
