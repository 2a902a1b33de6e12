import { tenants } from './1-tenants';
import { upstreams } from './2-upstreams';
import { apiKeys } from './3-api-keys';
import { limits } from './4-limits';
import { ledger } from './5-ledger';
import { trail } from './6-trail';
import { modelNames } from './7-model-names';
import { corrections } from './8-corrections';
import { reRating } from './9-re-rating';
import { operators } from './10-operators';
import { softLimits } from './11-soft-limits';
import { identity } from './12-identity';
import { upstreamKeys } from './13-upstream-keys';
import { usagePeriods } from './14-usage-periods';
import { routing } from './15-routing';
import { narrowPeriods } from './16-narrow-periods';
import { refusals } from './17-refusals';
import { hotRows } from './18-hot-rows';
import { toolCalls } from './19-tool-calls';
import { modelGrants } from './20-model-grants';
import { upstreamModel } from './21-upstream-model';
import { outputBound } from './22-output-bound';
import { nativeResponses } from './23-native-responses';
import { mcpServers } from './24-mcp-servers';
import { mcpUsage } from './25-mcp-usage';
import { mcpSignIn } from './26-mcp-sign-in';
import { screening } from './27-screening';
import { screeningServices } from './28-screening-services';
import { usageTags } from './29-usage-tags';
import { usageTrace } from './30-usage-trace';
import { refusedRequests } from './31-refused-requests';
import { traceContent } from './32-trace-content';
import { recordExport } from './33-record-export';
import { alerts } from './34-alerts';
import { regions } from './35-regions';
import { attribution } from './36-attribution';
import { valueLimits } from './37-value-limits';
import { modelAliases } from './38-model-aliases';
import { responseCache } from './39-response-cache';
import { cloudProviders } from './40-cloud-providers';
import { passthrough } from './41-passthrough';
import { experiments } from './43-experiments';
import { invoiceRecipients } from './45-invoice-recipients';
import { savings } from './46-savings';
import { invoiceBookings } from './47-invoice-bookings';
import { shadows } from './48-shadows';
import { valueWindowsCountFrom } from './50-value-windows-count-from';
import { valuesInAlerts } from './51-values-in-alerts';
import { usageViews } from './52-usage-views';
import { screeningRegions } from './54-screening-regions';
import { priceCorrections } from './56-price-corrections';
import { softLimitEventCreatedAt } from './58-soft-limit-event-created-at';
import { keptDecisions } from './59-kept-decisions';
import { keptBodies } from './60-kept-bodies';
import { toldValues } from './61-told-values';
import { serviceTiers } from './62-service-tiers';
import { imageTokens } from './63-image-tokens';

/** In the order in which they run. A released one is never changed. */
export const migrations = [
  tenants,
  upstreams,
  apiKeys,
  limits,
  ledger,
  trail,
  modelNames,
  corrections,
  reRating,
  operators,
  softLimits,
  identity,
  upstreamKeys,
  usagePeriods,
  routing,
  narrowPeriods,
  refusals,
  hotRows,
  toolCalls,
  modelGrants,
  upstreamModel,
  outputBound,
  nativeResponses,
  mcpServers,
  mcpUsage,
  mcpSignIn,
  screening,
  screeningServices,
  usageTags,
  usageTrace,
  refusedRequests,
  traceContent,
  recordExport,
  alerts,
  regions,
  attribution,
  valueLimits,
  modelAliases,
  responseCache,
  cloudProviders,
  passthrough,
  experiments,
  invoiceRecipients,
  savings,
  invoiceBookings,
  shadows,
  valueWindowsCountFrom,
  valuesInAlerts,
  usageViews,
  screeningRegions,
  priceCorrections,
  softLimitEventCreatedAt,
  keptDecisions,
  keptBodies,
  toldValues,
  serviceTiers,
  imageTokens,
];
