import { within, withObject, type RecentObject } from './recent';

const object = (href: string): RecentObject => ({ href, name: href, note: 'Model' });

test('an object that is opened again moves to the front, and old ones are dropped', () => {
  const many = Array.from({ length: 12 }, (_, n) => object(`/a/models/${String(n)}`));
  const next = withObject(many, object('/a/models/3'));
  expect(next.map(({ href }) => href).slice(0, 2)).toEqual(['/a/models/3', '/a/models/0']);
  expect(next).toHaveLength(12);
  const more = withObject(next, object('/a/models/new'));
  expect(more).toHaveLength(12);
  expect(more.map(({ href }) => href)).not.toContain('/a/models/11');
});

test('objects of another organisation are not offered', () => {
  const known = [object('/a/models/1'), object('/ab/models/2'), object('/admin/models/3')];
  expect(within(known, { platform: false, slug: 'a' })).toEqual([known[0]]);
  expect(within(known, { platform: true, slug: undefined })).toEqual([known[2]]);
});
