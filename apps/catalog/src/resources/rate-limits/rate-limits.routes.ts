import { rest } from '@tollgate/contracts';

import { serve, type Route } from '../../rest/call';
import { create, get, list, remove, update } from './rate-limits';

export const rateLimitRoutes: Route[] = [
  serve(rest.listRateLimits, list),
  serve(rest.createRateLimit, create),
  serve(rest.getRateLimit, get),
  serve(rest.updateRateLimit, update),
  serve(rest.deleteRateLimit, remove),
];
