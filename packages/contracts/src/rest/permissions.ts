import type { Role } from '../enums';

/**
 * How far a permission reaches.
 * - `everywhere`: every organisation
 * - `organisation`: everything in the caller's own organisation
 * - `teams`: what belongs to the teams the caller manages, and what is the caller's own
 * - `self`: what is the caller's own
 */
export type Reach = 'everywhere' | 'organisation' | 'teams' | 'self';

/** Whether a permission covers the whole organisation, and not only the user's own objects or teams. */
export function reachesOrganisation(reach: Reach | undefined): boolean {
  return reach === 'everywhere' || reach === 'organisation';
}

type Grants = Partial<Record<Role, Reach>>;

const platform: Grants = { SUPER_ADMIN: 'everywhere' };
const admins: Grants = { ...platform, ORG_ADMIN: 'organisation' };
const managers: Grants = { ...admins, MANAGER: 'teams' };
const everyoneOwn: Grants = { ...managers, USER: 'self' };
const directory: Grants = { ...admins, MANAGER: 'organisation', USER: 'self' };
const everyone: Grants = { ...admins, MANAGER: 'organisation', USER: 'organisation' };

/** Saved views: everyone has their own, administrators share theirs. */
const ownViews: Grants = { ...admins, MANAGER: 'self', USER: 'self' };

/** Role × action: the only place that says who may do what. An absent role may not. */
export const PERMISSIONS = {
  'platform.organisations.read': platform,
  'platform.organisations.write': platform,
  'platform.users.read': platform,
  'platform.users.write': platform,
  'platform.audit.read': platform,
  'platform.usage.correct': platform,
  'platform.usage.read': platform,
  'platform.invoices.read': platform,
  'platform.ledger.read': platform,
  'platform.ledger.write': platform,
  'platform.exports.read': platform,
  'platform.exports.write': platform,
  'platform.alerts.read': platform,
  'platform.alerts.write': platform,
  'organisation.read': everyone,
  'organisation.update': admins,
  'teams.read': everyoneOwn,
  'teams.write': admins,
  'team-members.read': everyoneOwn,
  'team-members.write': managers,
  'users.read': directory,
  'users.write': admins,
  'sessions.read': admins,
  'sessions.write': admins,
  'identities.read': admins,
  'identities.write': admins,
  'invitations.read': admins,
  'invitations.write': admins,
  'providers.read': admins,
  'providers.write': admins,
  'models.read': everyone,
  'models.write': admins,
  'retirements.read': admins,
  'experiments.read': admins,
  'experiments.write': admins,
  'mcp-servers.read': directory,
  'mcp-servers.write': admins,
  'apikeys.read': everyoneOwn,
  'apikeys.write': everyoneOwn,
  'apikeys.try': admins,
  'budgets.read': everyoneOwn,
  'budgets.write': managers,
  'quotas.read': everyoneOwn,
  'quotas.write': managers,
  'rate-limits.read': everyoneOwn,
  'rate-limits.write': managers,
  'routing-policies.read': everyone,
  'routing-policies.write': admins,
  'screening.read': admins,
  'screening.write': admins,
  'usage.read': everyoneOwn,
  'decisions.read': admins,
  'bodies.read': admins,
  'bodies.write': admins,
  'usage-views.read': ownViews,
  'usage-views.write': ownViews,
  'price-corrections.read': admins,
  'price-corrections.write': admins,
  'invoices.read': admins,
  'invoices.write': platform,
  'alerts.read': admins,
  'alerts.write': admins,
  'audit.read': admins,
  'exports.read': admins,
  'exports.write': admins,
  'playground.use': everyoneOwn,
} as const satisfies Record<string, Grants>;

export type Action = keyof typeof PERMISSIONS;

export const ACTIONS = Object.keys(PERMISSIONS) as readonly Action[];

/** How far `role` may go with `action`; undefined when it may not at all. */
export function reachOf(role: Role, action: Action): Reach | undefined {
  const grants: Grants = PERMISSIONS[action];
  return grants[role];
}

export function can(role: Role, action: Action): boolean {
  return reachOf(role, action) !== undefined;
}

/** Roles each role may give to others: never more than its own. */
export const ASSIGNABLE_ROLES: Readonly<Record<Role, readonly Role[]>> = {
  SUPER_ADMIN: ['SUPER_ADMIN', 'ORG_ADMIN', 'MANAGER', 'USER'],
  ORG_ADMIN: ['ORG_ADMIN', 'MANAGER', 'USER'],
  MANAGER: [],
  USER: [],
};
