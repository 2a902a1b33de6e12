import {
  createEndpointCaller,
  createRestClient,
  rest,
  type EndpointCaller,
  type RestClient,
  type SendRest,
} from '@tollgate/contracts';
import type { z } from 'zod';

/** The management API, with lists read whole. */

export interface Api extends RestClient {
  /** A call of an endpoint that is only known at run time. */
  readonly ask: EndpointCaller;
  /** Every item of a list; throws when there are more than `MOST_ITEMS`. */
  all<Item extends z.ZodType>(
    endpoint: ListEndpoint<Item>,
    params: Readonly<Record<string, string>>,
    query?: Readonly<Record<string, unknown>>,
  ): Promise<z.output<Item>[]>;
}

type ListEndpoint<Item extends z.ZodType> = rest.Endpoint<
  string,
  z.ZodType,
  z.ZodType,
  ReturnType<typeof rest.page<Item>>
>;

/** The most items of one list that are read. */
export const MOST_ITEMS = 20_000;

const UNEXPECTED =
  'This version of the command does not understand the response of the installation. Use the version of the installation.';

export function createApi(send: SendRest): Api {
  const ask = createEndpointCaller(send, UNEXPECTED);
  return {
    ...createRestClient(send, UNEXPECTED),
    ask,
    all: async (endpoint, params, query = {}) => {
      const items: z.output<(typeof endpoint)['response']>['data'] = [];
      let cursor: string | undefined;
      do {
        const page = endpoint.response.parse(
          (
            await ask(endpoint, {
              params,
              query: {
                limit: rest.PAGE_LIMIT,
                ...query,
                ...(cursor === undefined ? {} : { cursor }),
              },
            })
          ).value,
        );
        items.push(...page.data);
        cursor = page.nextCursor ?? undefined;
        if (items.length > MOST_ITEMS) {
          throw new Error(`${endpoint.id}: more than ${String(MOST_ITEMS)} items`);
        }
      } while (cursor !== undefined);
      return items;
    },
  };
}

/** Runs `work` for every item, at most `most` at a time, and keeps the order. */
export async function eachOf<T, R>(
  items: readonly T[],
  most: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (;;) {
      const index = next;
      next += 1;
      const item = items[index];
      if (index >= items.length || item === undefined) return;
      results[index] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker));
  return results;
}
