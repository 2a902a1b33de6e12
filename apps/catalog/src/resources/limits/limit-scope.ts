import { randomUUID } from 'node:crypto';
import {
  isValueScope,
  rest,
  restError,
  type LimitScope,
  type ValueScope,
} from '@tollgate/contracts';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { z } from 'zod';

import type { Access, Call } from '../../rest/call';
import { invalid } from '../../rest/field-errors';

/** What budgets, quotas and rate limits share: a scope, by which reach is decided. */

export interface Scoped {
  readonly scopeType: LimitScope;
  readonly scopeId: string;
  readonly tagKey: string | null;
}

/** The columns of a new limit that say what it binds. */
export interface ScopeColumns extends Scoped {
  readonly valueKey: string | null;
}

/** Limits on each value of an organisation: a request reads a counter of each that counts it. */
const VALUE_LIMITS_MAX = 32;
/**
 * Budgets, quotas and rate limits of one scope together. A request reads a counter of each, of its organisation, team,
 * user and key, and of the models that may answer it.
 */
const SCOPE_LIMITS_MAX = 100;

type InOrganisation = Pick<Call, 'db' | 'organisation' | 'access'>;

export function representScope(row: Scoped): rest.Scope {
  const { scopeType: type, scopeId: id, tagKey } = row;
  return tagKey === null ? { type, id } : { type, id, tagKey };
}

/** Applies the filters that all three lists share, and the caller's reach. */
export function narrowToScope<T extends ObjectLiteral>(
  rows: SelectQueryBuilder<T>,
  alias: string,
  call: InOrganisation,
  query: {
    scopeType?: LimitScope | undefined;
    scopeId?: string | undefined;
    status?: string | undefined;
  },
): void {
  rows.where(`${alias}.organisationId = :organisationId`, { organisationId: call.organisation.id });
  for (const field of ['scopeType', 'scopeId', 'status'] as const) {
    const value = query[field];
    if (value !== undefined) rows.andWhere(`${alias}.${field} = :${field}`, { [field]: value });
  }
  const { access } = call;
  if (rest.reachesOrganisation(access.reach)) return;
  rows.andWhere(
    `((${alias}.scopeType = 'USER' AND ${alias}.scopeId = :self)
      OR (${alias}.scopeType = 'TEAM' AND ${alias}.scopeId = ANY(:managed::uuid[]))
      OR (${alias}.valueKey IS NOT NULL AND ${alias}.scopeId = ANY(:managed::uuid[]))
      OR ((${alias}.scopeType = 'API_KEY' OR ${alias}.valueKey IS NOT NULL) AND EXISTS (SELECT FROM api_key k
        WHERE k.id = ${alias}.scopeId AND (k.user_id = :self OR k.team_id = ANY(:managed::uuid[])))))`,
    { self: access.userId, managed: managedBy(access) },
  );
}

/** Throws 404 for a limit out of reach, and 403 for one that is visible but not editable. */
export async function assertReach(
  call: InOrganisation,
  row: Scoped,
  purpose: 'read' | 'write',
): Promise<void> {
  const { access } = call;
  if (rest.reachesOrganisation(access.reach)) return;
  const owner = await ownerOf(call, row);
  const managed = owner.teamId !== null && managedBy(access).includes(owner.teamId);
  if (managed) return;
  // Users see limits on themselves, but cannot change them.
  if (owner.userId !== access.userId) throw restError('not_found');
  if (purpose === 'write') throw restError('forbidden');
}

type OneScope = Exclude<LimitScope, ValueScope>;

const SCOPES: Readonly<Record<OneScope, string>> = {
  ORGANISATION: `SELECT NULL::uuid AS "teamId", NULL::uuid AS "userId"
    FROM organisation WHERE id = $1 AND id = $2`,
  TEAM: `SELECT id AS "teamId", NULL::uuid AS "userId"
    FROM team WHERE id = $1 AND organisation_id = $2 AND status = 'ACTIVE'`,
  USER: `SELECT NULL::uuid AS "teamId", id AS "userId"
    FROM user_account WHERE id = $1 AND organisation_id = $2`,
  API_KEY: `SELECT team_id AS "teamId", user_id AS "userId"
    FROM api_key WHERE id = $1 AND organisation_id = $2 AND kind = 'NORMAL'`,
  MODEL: `SELECT NULL::uuid AS "teamId", NULL::uuid AS "userId"
    FROM model WHERE id = $1 AND organisation_id = $2 AND status <> 'ARCHIVED'`,
  MCP_SERVER: `SELECT NULL::uuid AS "teamId", NULL::uuid AS "userId"
    FROM mcp_server WHERE id = $1 AND organisation_id = $2 AND status <> 'ARCHIVED'`,
};

/** Checks the scope of a new limit: it exists, and the caller may limit it. */
export async function assertScope(call: InOrganisation, scope: rest.Scope): Promise<ScopeColumns> {
  const onValues = isValueScope(scope.type);
  const row: ScopeColumns = {
    scopeType: scope.type,
    scopeId: scope.id,
    tagKey: scope.tagKey ?? null,
    valueKey: onValues ? randomUUID() : null,
  };
  if (onValues) await assertValues(call, row);
  const { access } = call;
  if ((await findOwner(call, row, true)) === undefined) {
    const wanted = onValues ? 'organisation, team or API key' : scope.type;
    throw invalid('scope.id', `no such ${wanted} in this organisation`);
  }
  if (!onValues) await assertFew(call, row);
  if (rest.reachesOrganisation(access.reach)) return row;
  const { teamId } = await ownerOf(call, row);
  if (teamId === null || !managedBy(access).includes(teamId)) throw restError('forbidden');
  return row;
}

interface ScopeOwner {
  teamId: string | null;
  userId: string | null;
}

const owners = z.array(z.object({ teamId: z.string().nullable(), userId: z.string().nullable() }));

async function ownerOf(call: InOrganisation, row: Scoped): Promise<ScopeOwner> {
  return (await findOwner(call, row, false)) ?? { teamId: null, userId: null };
}

async function findOwner(
  call: InOrganisation,
  row: Scoped,
  lock: boolean,
): Promise<ScopeOwner | undefined> {
  for (const scope of isValueScope(row.scopeType) ? WHOSE : [row.scopeType]) {
    // Locked for sharing, so that the scope is not deleted before the limit commits.
    const sql = `${SCOPES[scope]}${lock ? ' FOR SHARE' : ''}`;
    const [found] = owners.parse(await call.db.query(sql, [row.scopeId, call.organisation.id]));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whose requests a limit on each value can count. */
const WHOSE = ['ORGANISATION', 'TEAM', 'API_KEY'] as const;

/** Checks what only limits on each value need: a tag that requests can have, and how many limits there are. */
async function assertValues(call: InOrganisation, { tagKey }: Scoped): Promise<void> {
  const { id } = call.organisation;
  // The lock lets one limit after another be counted.
  const [organisation] = organisations.parse(
    await call.db.query('SELECT tag_keys FROM organisation WHERE id = $1 FOR UPDATE', [id]),
  );
  if (tagKey !== null && !organisation?.tag_keys.includes(tagKey)) {
    throw invalid('scope.tagKey', `this organisation has no tag "${tagKey}" in its settings`);
  }
  const [sum] = sums.parse(
    await call.db.query(
      `SELECT (SELECT count(*) FROM budget WHERE organisation_id = $1 AND value_key IS NOT NULL)
         + (SELECT count(*) FROM quota WHERE organisation_id = $1 AND value_key IS NOT NULL)
         + (SELECT count(*) FROM rate_limit WHERE organisation_id = $1 AND value_key IS NOT NULL)
         AS count`,
      [id],
    ),
  );
  if ((sum?.count ?? 0) >= VALUE_LIMITS_MAX) {
    throw invalid(
      'scope.type',
      `an organisation has at most ${VALUE_LIMITS_MAX} limits on each end user, session or tag`,
    );
  }
}

/** Limits that are created at the same instant may pass the number by as many. */
async function assertFew(call: InOrganisation, { scopeType, scopeId }: Scoped): Promise<void> {
  const [sum] = sums.parse(
    await call.db.query(
      `SELECT (SELECT count(*) FROM budget WHERE organisation_id = $1 AND scope_type = $2 AND scope_id = $3)
         + (SELECT count(*) FROM quota WHERE organisation_id = $1 AND scope_type = $2 AND scope_id = $3)
         + (SELECT count(*) FROM rate_limit WHERE organisation_id = $1 AND scope_type = $2 AND scope_id = $3)
         AS count`,
      [call.organisation.id, scopeType, scopeId],
    ),
  );
  if ((sum?.count ?? 0) < SCOPE_LIMITS_MAX) return;
  const most = `budgets, quotas and rate limits together are at most ${SCOPE_LIMITS_MAX} for one ${scopeType}`;
  throw invalid('scope', most);
}

const organisations = z.array(z.object({ tag_keys: z.array(z.string()) }));
const sums = z.array(z.object({ count: z.coerce.number() }));

/** Refuses what only a limit on each value can have. */
export function assertValueRequired(row: Scoped, requireValue: boolean | undefined): void {
  if (requireValue === true && !isValueScope(row.scopeType)) {
    throw invalid('requireValue', 'only with the scopes END_USER, SESSION and TAG');
  }
}

function managedBy(access: Access): readonly string[] {
  return access.reach === 'teams' ? access.managedTeamIds : [];
}
