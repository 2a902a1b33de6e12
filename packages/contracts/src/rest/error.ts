import { z } from 'zod';

/** One thing wrong with a request: where, and what. */
export const errorDetail = z
  .object({
    path: z.string().meta({ description: 'The field, such as `prices[0].input`.' }),
    message: z.string(),
  })
  .meta({ id: 'ErrorDetail' });

export const errorBody = z
  .object({
    error: z.object({
      code: z.string(),
      message: z.string(),
      details: z.array(errorDetail),
    }),
  })
  .meta({ id: 'Error' });

export type ErrorDetail = z.output<typeof errorDetail>;
export type ErrorBody = z.output<typeof errorBody>;
