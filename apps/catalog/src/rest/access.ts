import { rest, restError } from '@tollgate/contracts';
import type { EntityManager, ObjectLiteral, SelectQueryBuilder } from 'typeorm';

import { Organisation } from '../entities/organisation.entity';
import type { Access, Actor, ActorOrganisation } from './call';

/**
 * Authorisation: `authorise` decides about a call before its body is read; the other functions
 * narrow rows to the caller's reach.
 */

/** Throws 403 when the role lacks the action, 404 when the path names another organisation. */
export async function authorise(
  db: EntityManager,
  actor: Actor,
  endpoint: rest.Endpoint,
  params: Readonly<Record<string, string>>,
): Promise<{ access: Access; organisation: ActorOrganisation | undefined }> {
  const reach = reachFor(actor, endpoint);
  const organisationId = params['organisationId'];
  const ownPath = endpoint.path.startsWith('/api/organisations/');
  if (ownPath && reach !== 'everywhere' && actor.organisation?.id !== organisationId) {
    throw restError('not_found');
  }
  if (reach === undefined) throw restError('forbidden');
  const { id: userId, managedTeamIds, teamIds } = actor;
  const access: Access = { reach, userId, managedTeamIds, teamIds };
  if (!ownPath || organisationId === undefined) return { access, organisation: undefined };
  const organisation =
    actor.organisation?.id === organisationId
      ? actor.organisation
      : await foreignOrganisation(db, organisationId, endpoint.method);
  return { access, organisation };
}

function reachFor(actor: Actor, endpoint: rest.Endpoint): rest.Reach | undefined {
  const { access } = endpoint;
  if (access === 'public' || access === 'signed-in') return 'self';
  return rest.reachOf(actor.role, access);
}

async function foreignOrganisation(
  db: EntityManager,
  id: string,
  method: rest.Method,
): Promise<ActorOrganisation> {
  const found = await db.findOneBy(Organisation, { id });
  if (found === null) throw restError('not_found');
  if (found.status === 'ARCHIVED' && method !== 'GET') {
    throw restError('conflict', 'The organisation is archived; nothing in it can be changed.');
  }
  return found;
}

export interface Owner {
  readonly teamId: string | null;
  readonly userId: string | null;
}

/** Whether an object of this team and user is within the caller's reach. */
export function reaches(access: Access, owner: Owner): boolean {
  if (rest.reachesOrganisation(access.reach)) return true;
  if (owner.userId === access.userId) return true;
  return (
    access.reach === 'teams' &&
    owner.teamId !== null &&
    access.managedTeamIds.includes(owner.teamId)
  );
}

/** Narrows a query to rows within reach, by the columns of their team and user. */
export function withinReach<T extends ObjectLiteral>(
  query: SelectQueryBuilder<T>,
  access: Access,
  columns: { teamId: string; userId: string },
): SelectQueryBuilder<T> {
  if (rest.reachesOrganisation(access.reach)) return query;
  const own = `${columns.userId} = :reachUserId`;
  const condition =
    access.reach === 'teams' ? `(${own} OR ${columns.teamId} = ANY(:reachTeamIds::uuid[]))` : own;
  return query.andWhere(condition, {
    reachUserId: access.userId,
    reachTeamIds: [...access.managedTeamIds],
  });
}

/** SQL: the same for rows with the columns `team_id` and `user_id`. Undefined: all are within reach. */
export function reachSql(
  access: Access,
  bind: (value: unknown) => string,
  alias = '',
): string | undefined {
  if (rest.reachesOrganisation(access.reach)) return undefined;
  const own = `${alias}user_id = ${bind(access.userId)}`;
  if (access.reach !== 'teams') return own;
  return `(${own} OR ${alias}team_id = ANY(${bind([...access.managedTeamIds])}::uuid[]))`;
}

/** Whether a team is visible: managers and users see the teams they are in. */
export function reachesTeam(access: Access, teamId: string): boolean {
  if (rest.reachesOrganisation(access.reach)) return true;
  return access.teamIds.includes(teamId);
}

/** Whether the caller may change a team's members. */
export function managesTeam(access: Access, teamId: string): boolean {
  if (rest.reachesOrganisation(access.reach)) return true;
  return access.reach === 'teams' && access.managedTeamIds.includes(teamId);
}
