import { randomUUID } from 'node:crypto';

import { shardOf, SHARDS } from './shards';

// Known answers of FNV-1a 32: 0x811c9dc5, 0xe40c292c, 0xbf9cf968.
test.each([
  ['', 0xc5],
  ['a', 0x2c],
  ['foobar', 0x68],
])('%j lies in shard %d for ever', (id, shard) => {
  expect(shardOf(id)).toBe(shard);
});

test('organisations spread over all shards', () => {
  const counts = Array.from({ length: SHARDS }, () => 0);
  for (let i = 0; i < 256 * 100; i += 1) {
    const shard = shardOf(randomUUID());
    counts[shard] = (counts[shard] ?? 0) + 1;
  }
  expect(Math.min(...counts)).toBeGreaterThan(30);
  expect(Math.max(...counts)).toBeLessThan(250);
});
