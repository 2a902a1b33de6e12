import type { rest } from '@tollgate/contracts';
import type { z } from 'zod';

import type { Part, Place } from './kind';

export interface StatusOptions {
  readonly schema: z.ZodType<string>;
  readonly operations: (place: Place) => { readonly update: rest.Endpoint };
  /** The status of every new object; undefined: it is created with the one of the document. */
  readonly whenCreated?: string;
}

/** A status that is changed by itself, because creating may not take it. */
export function statusPart<Row extends { readonly status: string }>(
  options: StatusOptions,
): Part<Row> {
  const { schema, operations, whenCreated } = options;
  return {
    field: 'status',
    changes: (wanted, row, { place }) => {
      const after = schema.parse(wanted['status']);
      const before = row?.status ?? whenCreated ?? after;
      if (after === before) return [];
      const { update } = operations(place);
      return [
        {
          path: 'status',
          before,
          after,
          run: async (api, params) =>
            void (await api.ask(update, { params, body: { status: after } })),
        },
      ];
    },
  };
}
