import { createCallCounts } from './calls';

test('counts are kept by server, method and name', () => {
  const counts = createCallCounts();
  counts.count('a', 'tools/call', 'x', 'received');
  counts.count('a', 'tools/call', 'x', 'received');
  counts.count('a', 'tools/call', 'x', 'started');
  counts.count('b', 'tools/call', 'x', 'received');
  expect(counts.list()).toMatchObject([
    { server: 'a', name: 'x', received: 2, started: 1 },
    { server: 'b', name: 'x', received: 1, started: 0 },
  ]);
  counts.reset('a');
  expect(counts.list()).toMatchObject([{ server: 'b' }]);
  counts.reset();
  expect(counts.list()).toEqual([]);
});

test('names beyond the limit share one row per server', () => {
  const counts = createCallCounts();
  for (let name = 0; name < 3_000; name += 1)
    counts.count('a', 'tools/call', String(name), 'received');
  const rows = counts.list();
  expect(rows).toHaveLength(2_001);
  expect(rows.at(-1)).toMatchObject({ method: 'other', received: 1_000 });
});
