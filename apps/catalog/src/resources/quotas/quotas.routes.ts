import { rest } from '@tollgate/contracts';

import { serve, type Route } from '../../rest/call';
import { create, get, list, remove, update } from './quotas';

export const quotaRoutes: Route[] = [
  serve(rest.listQuotas, list),
  serve(rest.createQuota, create),
  serve(rest.getQuota, get),
  serve(rest.updateQuota, update),
  serve(rest.deleteQuota, remove),
];
