import { z } from 'zod';

// The catalog and the gateway report the health of each dependency.

const check = z.object({
  ok: z.boolean(),
  message: z.string().optional(),
  latencyMs: z.number().optional(),
});

/** The response of a service's health route. */
export const healthBody = z.object({ checks: z.record(z.string(), check) });

/** The health of the services as the console's server sees it. */
export const healthAnswer = z.object({
  services: z.array(
    z.object({
      name: z.string(),
      ok: z.boolean(),
      /** Why the service did not answer. */
      message: z.string().optional(),
      checks: z.record(z.string(), check),
    }),
  ),
});
export type HealthAnswer = z.output<typeof healthAnswer>;
