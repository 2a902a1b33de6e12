import { slugOf } from './slug';

test.each([
  ['Acme', 'acme'],
  ['Café & Co', 'cafe-co'],
  ['  --  ', ''],
  ['x'.repeat(70), 'x'.repeat(63)],
  [`${'x'.repeat(62)} y`, 'x'.repeat(62)],
])('%s is proposed as %s', (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});
