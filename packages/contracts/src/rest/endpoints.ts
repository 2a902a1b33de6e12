import * as abandoned from './abandoned';
import * as adjustments from './adjustments';
import * as apiKeys from './api-keys';
import * as auditEvents from './audit-events';
import * as auth from './auth';
import type { Endpoint } from './endpoint';
import * as limits from './limits';
import * as models from './models';
import * as organisations from './organisations';
import * as providers from './providers';
import * as quarantine from './quarantine';
import * as rateLimits from './rate-limits';
import * as rerates from './rerates';
import * as system from './system';
import * as teams from './teams';
import * as usage from './usage';
import * as users from './users';

const resources = [
  auth,
  organisations,
  teams,
  users,
  providers,
  models,
  apiKeys,
  limits,
  rateLimits,
  usage,
  adjustments,
  rerates,
  quarantine,
  abandoned,
  auditEvents,
  system,
];

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && 'path' in value && 'access' in value;
}

/** Every endpoint of the management API. */
export const ENDPOINTS: readonly Endpoint[] = resources.flatMap((resource) =>
  Object.values<unknown>(resource).filter(isEndpoint),
);
