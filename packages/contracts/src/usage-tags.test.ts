import {
  isClientTagKey,
  MOST_TAGS,
  namedTag,
  TAGS_CHARACTERS,
  tagsIn,
  tagsText,
} from './usage-tags';

test('tags are one text, in the order of their keys', () => {
  const tags = new Map([
    ['tier', 'gold'],
    ['project', 'blue 2/a'],
  ]);
  expect(tagsText(tags)).toBe('project:blue 2/a, tier:gold');
  expect(tagsText(new Map())).toBe('');
});

test('the longest text has room', () => {
  const keys = Array.from(
    { length: MOST_TAGS + 1 },
    (_, at) => `${'k'.repeat(38)}${String(at).padStart(2, '0')}`,
  );
  const text = tagsText(new Map(keys.map((key) => [key, 'v'.repeat(120)])));
  expect(text.split(', ')).toHaveLength(MOST_TAGS);
  expect(text.length).toBeLessThanOrEqual(TAGS_CHARACTERS);
});

test.each([
  ['project:blue', true],
  ['a:b c', true],
  ['project', false],
  ['project:', false],
  ['Project:blue', false],
  ['project:a, b', false],
  ['project:a:b', false],
  ['project: a', false],
  [`project:${'v'.repeat(129)}`, false],
  [`${'k'.repeat(41)}:v`, false],
  ['project:%', false],
])('%s is a tag: %s', (text, valid) => {
  expect(namedTag.safeParse(text).success).toBe(valid);
});

test('the text of the longest tags of clients has the same bound', () => {
  const keys = Array.from({ length: MOST_TAGS }, (_, n) => `${String(n)}${'k'.repeat(31)}`);
  expect(keys.every(isClientTagKey)).toBe(true);
  const tags = new Map(keys.map((key) => [key, 'v'.repeat(128)]));
  expect(tagsText(tags).length).toBeLessThanOrEqual(TAGS_CHARACTERS);
  expect(tagsIn(tagsText(tags))).toEqual(tags);
  expect(tagsIn('')).toEqual(new Map());
});
