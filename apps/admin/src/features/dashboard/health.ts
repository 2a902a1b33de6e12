import { z } from 'zod';

// Both the catalog and the gateway say of each dependency whether it is well.

const check = z.object({
  ok: z.boolean(),
  message: z.string().optional(),
  latencyMs: z.number().optional(),
});

/** What a service's own health route answers, well or not. */
export const healthBody = z.object({ checks: z.record(z.string(), check) });

/** What the console's server found when it asked the services. */
export const healthAnswer = z.object({
  services: z.array(
    z.object({
      name: z.string(),
      ok: z.boolean(),
      /** Why it could not be asked. */
      message: z.string().optional(),
      checks: z.record(z.string(), check),
    }),
  ),
});
export type HealthAnswer = z.output<typeof healthAnswer>;
