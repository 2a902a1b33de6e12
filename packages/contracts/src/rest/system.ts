import { z } from 'zod';

import { endpoint } from './endpoint';

export const health = z
  .object({
    ok: z.boolean(),
    checks: z.record(
      z.string(),
      z.object({ ok: z.boolean(), message: z.string().optional(), latencyMs: z.number() }),
    ),
  })
  .meta({ id: 'Health' });
export type Health = z.output<typeof health>;

export const getHealth = endpoint({
  id: 'getHealth',
  tag: 'System',
  summary: 'Whether the service can serve requests; if not, 503 with the same body',
  method: 'GET',
  path: '/api/health',
  access: 'public',
  response: health,
});

export const getOpenApi = endpoint({
  id: 'getOpenApi',
  tag: 'System',
  summary: 'The OpenAPI 3.1 document of this API',
  method: 'GET',
  path: '/api/openapi.json',
  access: 'public',
  response: z.record(z.string(), z.unknown()),
});
