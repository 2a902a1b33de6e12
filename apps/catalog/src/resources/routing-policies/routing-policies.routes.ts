import { rest } from '@tollgate/contracts';

import { serve, type Route } from '../../rest/call';
import { create, get, list, remove, update } from './routing-policies';
import { listUpstreamStatuses } from './upstream-statuses';

export const routingPolicyRoutes: Route[] = [
  serve(rest.listRoutingPolicies, list),
  serve(rest.createRoutingPolicy, create),
  serve(rest.getRoutingPolicy, get),
  serve(rest.updateRoutingPolicy, update),
  serve(rest.deleteRoutingPolicy, remove),
  serve(rest.listUpstreamStatuses, listUpstreamStatuses),
];
