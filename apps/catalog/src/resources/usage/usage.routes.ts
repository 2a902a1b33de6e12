import { rest } from '@tollgate/contracts';

import { serve, type Route } from '../../rest/call';
import { forgetEndUser } from './forget-end-user';
import * as mcpRecords from './mcp-records';
import * as refused from './refused-requests';
import { getDecision } from './request-decision';
import * as rerates from './rerates';
import { exportReport, report } from './residency';
import * as adjustments from './usage-adjustments';
import { explore, explorePlatform } from './usage-explorer';
import { exportRecords } from './usage-export';
import { watch } from './usage-live';
import { get, list } from './usage-records';
import { rollup } from './usage-rollups';
import * as sessions from './usage-sessions';

export const usageRoutes: Route[] = [
  serve(rest.listUsageRecords, list),
  serve(rest.exportUsageRecords, exportRecords),
  serve(rest.watchUsageRecords, watch),
  serve(rest.getUsageRecord, get),
  serve(rest.getRequestDecision, getDecision),
  serve(rest.listMcpUsageRecords, mcpRecords.list),
  serve(rest.exportMcpUsageRecords, mcpRecords.exportRecords),
  serve(rest.getMcpUsageRecord, mcpRecords.get),
  serve(rest.getUsageRollup, rollup),
  serve(rest.getResidencyReport, report),
  serve(rest.exportResidencyReport, exportReport),
  serve(rest.exploreUsage, explore),
  serve(rest.explorePlatformUsage, explorePlatform),
  serve(rest.listRefusedRequests, refused.list),
  serve(rest.listPlatformRefusedRequests, refused.listOfPlatform),
  serve(rest.listUsageSessions, sessions.list),
  serve(rest.forgetEndUser, forgetEndUser),
  serve(rest.listUsageAdjustments, adjustments.list),
  serve(rest.correctUsageRecord, adjustments.correctRecord),
  serve(rest.createRerate, rerates.create),
  serve(rest.listRerates, rerates.list),
  serve(rest.getRerate, rerates.get),
];
