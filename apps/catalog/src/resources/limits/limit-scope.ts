import { restError, type rest, type ScopeType } from '@tollgate/contracts';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { z } from 'zod';

import type { Access, Call } from '../../rest/call';
import { invalid } from '../../rest/field-errors';

/** What budgets, quotas and rate limits share: a scope, by which reach is decided. */

export interface Scoped {
  readonly scopeType: ScopeType;
  readonly scopeId: string;
}

type InOrganisation = Pick<Call, 'db' | 'organisation' | 'access'>;

export function representScope(row: Scoped): rest.Scope {
  return { type: row.scopeType, id: row.scopeId };
}

/** Applies the filters that all three lists share, and the caller's reach. */
export function narrowToScope<T extends ObjectLiteral>(
  rows: SelectQueryBuilder<T>,
  alias: string,
  call: InOrganisation,
  query: {
    scopeType?: ScopeType | undefined;
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
  if (access.reach === 'everywhere' || access.reach === 'organisation') return;
  rows.andWhere(
    `((${alias}.scopeType = 'USER' AND ${alias}.scopeId = :self)
      OR (${alias}.scopeType = 'TEAM' AND ${alias}.scopeId = ANY(:managed::uuid[]))
      OR (${alias}.scopeType = 'API_KEY' AND EXISTS (SELECT FROM api_key k
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
  if (access.reach === 'everywhere' || access.reach === 'organisation') return;
  const owner = await ownerOf(call, row);
  const managed = owner.teamId !== null && managedBy(access).includes(owner.teamId);
  if (managed) return;
  // Users see limits on themselves, but cannot change them.
  if (owner.userId !== access.userId) throw restError('not_found');
  if (purpose === 'write') throw restError('forbidden');
}

const SCOPES: Readonly<Record<ScopeType, string>> = {
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
export async function assertScope(call: InOrganisation, scope: rest.Scope): Promise<Scoped> {
  const row: Scoped = { scopeType: scope.type, scopeId: scope.id };
  const { access } = call;
  if ((await findOwner(call, row, true)) === undefined) {
    throw invalid('scope.id', `no such ${scope.type} in this organisation`);
  }
  if (access.reach === 'everywhere' || access.reach === 'organisation') return row;
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
  // Locked for sharing, so that the scope is not deleted before the limit commits.
  const sql = `${SCOPES[row.scopeType]}${lock ? ' FOR SHARE' : ''}`;
  return owners.parse(await call.db.query(sql, [row.scopeId, call.organisation.id]))[0];
}

function managedBy(access: Access): readonly string[] {
  return access.reach === 'teams' ? access.managedTeamIds : [];
}
