import { QueryClient, queryOptions } from '@tanstack/react-query';
import type { rest } from '@tollgate/contracts';

import { ApiError, type RestClient, type RestInput, type RestQuestion } from './rest-client';

/** A catalog read as a query. The key is the endpoint's name and its input. */
export function query<E extends rest.Endpoint>(
  client: RestClient,
  endpoint: E,
  input: RestQuestion<E>,
) {
  return queryOptions({
    queryKey: [endpoint.id, input],
    queryFn: ({ signal }) => client.call(endpoint, { ...input, signal } as RestInput<E>),
  });
}

/** Until then cached data counts as fresh. */
const FRESH_MS = 15_000;
const RETRIES = 2;

export function createQueryClient(onError?: (error: Error) => void): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        // Retries only failures that can pass. A refusal does not change by retrying.
        retry: (count, error) => count < RETRIES && mayPass(error),
      },
    },
  });
  if (onError !== undefined) client.getQueryCache().config.onError = onError;
  return client;
}

/** Whether a failed read can succeed when it is repeated. */
export function mayPass(error: Error): boolean {
  return !(error instanceof ApiError) || error.status === 503;
}
