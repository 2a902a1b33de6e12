import { QueryClient, type Query } from '@tanstack/react-query';

import { ApiError } from '../api/rest-client';
import { SLOW_MS, stuckReads } from './stuck-reads';

function readsOf(queries: QueryClient): readonly Query[] {
  return queries.getQueryCache().findAll();
}

async function failed(status: number): Promise<QueryClient> {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  await queries.prefetchQuery({
    queryKey: ['read'],
    queryFn: () => Promise.reject(new ApiError(status, 'code', 'message')),
  });
  return queries;
}

describe('reads that raise the question whether the catalog answers', () => {
  test('a read that failed because something is away is one, a refused read is not', async () => {
    expect(stuckReads(readsOf(await failed(503)), new Map(), 0)).toHaveLength(1);
    expect(stuckReads(readsOf(await failed(403)), new Map(), 0)).toHaveLength(0);
  });

  test('a running read becomes one when it takes long, counted from when it was first seen', () => {
    const queries = new QueryClient();
    void queries.prefetchQuery({ queryKey: ['slow'], queryFn: () => new Promise(() => undefined) });
    const began = new Map<string, number>();
    expect(stuckReads(readsOf(queries), began, 1_000)).toHaveLength(0);
    expect(stuckReads(readsOf(queries), began, 999 + SLOW_MS)).toHaveLength(0);
    expect(stuckReads(readsOf(queries), began, 1_000 + SLOW_MS)).toHaveLength(1);
    queries.clear();
  });

  test('what no longer runs is forgotten', async () => {
    const queries = new QueryClient();
    const began = new Map([['["gone"]', 5]]);
    await queries.prefetchQuery({ queryKey: ['quick'], queryFn: () => Promise.resolve(1) });
    expect(stuckReads(readsOf(queries), began, 10)).toHaveLength(0);
    expect(began.size).toBe(0);
  });
});
