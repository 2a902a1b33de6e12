import * as abandoned from './abandoned';
import * as adjustments from './adjustments';
import * as alertEndpoints from './alert-endpoints';
import * as apiKeys from './api-keys';
import * as auditEvents from './audit-events';
import * as auth from './auth';
import * as decisions from './decisions';
import * as dryRun from './dry-run';
import type { Endpoint } from './endpoint';
import * as experiments from './experiments';
import * as exportDestinations from './export-endpoints';
import * as identities from './identities';
import * as invitations from './invitations';
import * as invoices from './invoices';
import * as keptBodies from './kept-bodies';
import * as limits from './limits';
import * as mcpGrants from './mcp-grants';
import * as mcpServers from './mcp-servers';
import * as mcpSignIn from './mcp-sign-in';
import * as mcpTest from './mcp-test';
import * as mcpUsage from './mcp-usage';
import * as modelAliases from './model-aliases';
import * as models from './models';
import * as organisations from './organisations';
import * as platformAlerts from './platform-alerts';
import * as playgroundKey from './playground-key';
import * as priceCorrections from './price-corrections';
import * as prices from './prices';
import * as providerKeys from './provider-keys';
import * as providers from './providers';
import * as quarantine from './quarantine';
import * as rateLimits from './rate-limits';
import * as refusals from './refusals';
import * as rerates from './rerates';
import * as residency from './residency';
import * as retirements from './retirements';
import * as routingPolicies from './routing-policies';
import * as screeningPolicies from './screening-policies';
import * as screeningServices from './screening-services';
import * as sessions from './sessions';
import * as settings from './settings';
import * as signIn from './sign-in';
import * as softLimits from './soft-limits';
import * as system from './system';
import * as teams from './teams';
import * as upstreams from './upstreams';
import * as usage from './usage';
import * as usageExplorer from './usage-explorer';
import * as usageExports from './usage-exports';
import * as usageLive from './usage-live';
import * as usageSessions from './usage-sessions';
import * as usageViews from './usage-views';
import * as users from './users';

const resources = [
  auth,
  signIn,
  sessions,
  identities,
  invitations,
  organisations,
  teams,
  users,
  providers,
  providerKeys,
  upstreams,
  models,
  modelAliases,
  experiments,
  retirements,
  prices,
  mcpServers,
  mcpGrants,
  mcpSignIn,
  mcpTest,
  apiKeys,
  dryRun,
  refusals,
  limits,
  rateLimits,
  softLimits,
  routingPolicies,
  screeningPolicies,
  screeningServices,
  usage,
  decisions,
  keptBodies,
  usageSessions,
  usageViews,
  usageExplorer,
  usageExports,
  usageLive,
  mcpUsage,
  adjustments,
  rerates,
  priceCorrections,
  residency,
  quarantine,
  abandoned,
  invoices,
  alertEndpoints,
  platformAlerts,
  playgroundKey,
  settings,
  auditEvents,
  exportDestinations,
  system,
];

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && 'path' in value && 'access' in value;
}

/** Every endpoint of the management API. */
export const ENDPOINTS: readonly Endpoint[] = resources.flatMap((resource) =>
  Object.values<unknown>(resource).filter(isEndpoint),
);
