import { pageOf } from './pages';

const ITEMS = [1, 2, 3, 4, 5, 6, 7];

test('the pages hold every item once, in order', () => {
  const seen: number[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const page = pageOf(ITEMS, 3, cursor);
    seen.push(...page.items);
    cursor = page.nextCursor;
    pages += 1;
  } while (cursor !== undefined);
  expect([pages, seen]).toEqual([3, ITEMS]);
});

test('one page has no cursor, and a cursor that was made up is refused', () => {
  expect(pageOf(ITEMS, 1, undefined)).toEqual({ items: ITEMS });
  expect(() => pageOf(ITEMS, 3, 'made up')).toThrow('cursor');
});
