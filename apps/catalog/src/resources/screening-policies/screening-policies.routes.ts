import { rest } from '@tollgate/contracts';

import { serve, type Route } from '../../rest/call';
import { getHits } from './screening-hits';
import { create, get, list, listVersions, remove, update } from './screening-policies';
import { test } from './test-screening';

export const screeningPolicyRoutes: Route[] = [
  serve(rest.listScreeningPolicies, list),
  serve(rest.createScreeningPolicy, create),
  serve(rest.getScreeningPolicy, get),
  serve(rest.updateScreeningPolicy, update),
  serve(rest.deleteScreeningPolicy, remove),
  serve(rest.listScreeningPolicyVersions, listVersions),
  serve(rest.getScreeningHits, getHits),
  serve(rest.testScreening, test),
];
