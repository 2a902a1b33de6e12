import { createContentRoom } from './trace-content';

const ALL = 32 * 1024 * 1024;

test('running requests keep a bounded sum of texts, and each gives its place back once', () => {
  const { take } = createContentRoom(ALL / 2);
  const first = take();
  const second = take();
  expect([typeof first, typeof second, take()]).toEqual(['function', 'function', undefined]);
  first?.();
  first?.();
  expect(typeof take()).toBe('function');
  expect(take()).toBeUndefined();
});
