import { collectStartGarbage } from './start-garbage';

test('what nobody refers to any more is gone, and the rest stays', async () => {
  const kept = { rows: [1, 2, 3] };
  const [gone, there] = [new WeakRef({ rows: [1, 2, 3] }), new WeakRef(kept)];
  expect(gone.deref()).toEqual(kept);
  // A reference that was read keeps its object until the turn ends.
  await new Promise((resolve) => setImmediate(resolve));
  await collectStartGarbage();
  expect(gone.deref()).toBeUndefined();
  expect(there.deref()).toBe(kept);
});
