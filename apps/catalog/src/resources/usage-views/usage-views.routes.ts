import { rest } from '@tollgate/contracts';

import { serve, type Route } from '../../rest/call';
import { create, list, remove, update } from './usage-views';

export const usageViewRoutes: Route[] = [
  serve(rest.listUsageViews, list),
  serve(rest.createUsageView, create),
  serve(rest.updateUsageView, update),
  serve(rest.deleteUsageView, remove),
];
