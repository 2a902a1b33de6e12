import { memoryUsage } from 'node:process';

import { collectStartGarbage } from './start-garbage';

const MIB = 2 ** 20;

test('what nobody refers to any more is gone, and its memory belongs to the system again', async () => {
  await collectStartGarbage();
  const before = memoryUsage.rss();
  const kept = { rows: Array.from({ length: 2_000_000 }, (_, n) => ({ n })) };
  const full = memoryUsage.rss();
  expect(kept.rows).toHaveLength(2_000_000);
  expect(full - before).toBeGreaterThan(40 * MIB);
  kept.rows = [];
  await collectStartGarbage();
  expect(full - memoryUsage.rss()).toBeGreaterThan(30 * MIB);
});
