import { rest } from '@tollgate/contracts';
import { serve, type Route } from '../../rest/call';
import { get, list } from './usage-records';
import { rollup } from './usage-rollups';

export const usageRoutes: Route[] = [
  serve(rest.listUsageRecords, list),
  serve(rest.getUsageRecord, get),
  serve(rest.getUsageRollup, rollup),
];
