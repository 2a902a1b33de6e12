import type { rest } from '@tollgate/contracts';
import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { createQueryClient, query } from '../api/queries';
import type { RestClient, RestQuestion } from '../api/rest-client';

/** Reads an endpoint for the page. */
export type Ask = <E extends rest.Endpoint>(endpoint: E, input: RestQuestion<E>) => Promise<void>;

/**
 * A page with what it shows at first already read, so that it comes whole. What cannot be read here
 * is asked again by the browser, which then shows why it cannot.
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
