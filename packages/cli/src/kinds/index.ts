import { alertDestinations } from './alert-destinations';
import { alertRules } from './alert-rules';
import { apiKeys } from './api-keys';
import { experiments } from './experiments';
import { exportDestinations } from './export-destinations';
import type { Kind } from './kind';
import { budgets, quotas, rateLimits } from './limits';
import { mcpServers } from './mcp-servers';
import { mcpSignIn } from './mcp-sign-in';
import { modelAliases } from './model-aliases';
import { models } from './models';
import { organisations } from './organisations';
import { providers } from './providers';
import { routingPolicies } from './routing-policies';
import { screeningPolicies, screeningServices } from './screening';
import { teams } from './teams';
import { users } from './users';

/** Every kind, each after those that it may name. Deleting goes the other way. */
export const KINDS: readonly Kind[] = [
  organisations,
  users,
  teams,
  providers,
  models,
  modelAliases,
  experiments,
  mcpServers,
  routingPolicies,
  apiKeys,
  budgets,
  quotas,
  rateLimits,
  screeningServices,
  screeningPolicies,
  mcpSignIn,
  exportDestinations,
  alertDestinations,
  alertRules,
];

export function kindOf(kind: string): Kind {
  const found = KINDS.find((one) => one.kind === kind);
  if (found === undefined) throw new RangeError(`no kind ${kind}`);
  return found;
}

export * from './kind';
