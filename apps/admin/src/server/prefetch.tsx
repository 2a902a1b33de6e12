import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import type { rest } from '@tollgate/contracts';
import type { ReactNode } from 'react';

import { createQueryClient, query } from '../api/queries';
import type { RestClient, RestQuestion } from '../api/rest-client';

/** Prefetches an endpoint. */
export type Ask = <E extends rest.Endpoint>(endpoint: E, input: RestQuestion<E>) => Promise<void>;

/**
 * Renders a page with prefetched data. Failed reads are retried by the browser, which shows the
 * error.
 */
export async function withReads(
  client: RestClient,
  reads: (ask: Ask) => readonly Promise<void>[],
  page: ReactNode,
): Promise<ReactNode> {
  const queries = createQueryClient();
  await Promise.all(
    reads((endpoint, input) =>
      queries.prefetchQuery({ ...query(client, endpoint, input), retry: false }),
    ),
  );
  return <HydrationBoundary state={dehydrate(queries)}>{page}</HydrationBoundary>;
}
