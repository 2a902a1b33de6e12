import { restError, type rest } from '@tollgate/contracts';
import type { EntityManager } from 'typeorm';

import { TeamMember } from '../../entities/team-member.entity';
import { User } from '../../entities/user.entity';
import { endMembership } from '../../membership';
import { managesTeam } from '../../rest/access';
import type { Call } from '../../rest/call';
import { invalid } from '../../rest/field-errors';
import { likePattern, readPage, type SortKey } from '../../rest/paging';
import { visibleTeam } from './teams';

function represent(row: TeamMember, user: User): rest.TeamMember {
  return {
    teamId: row.teamId,
    userId: row.userId,
    name: user.name,
    email: user.email,
    role: row.role,
    createdAt: row.createdAt.toISOString(),
  };
}

export async function list(
  call: Call<typeof rest.listTeamMembers>,
): Promise<rest.PageOf<rest.TeamMember>> {
  const { query, db } = call;
  await visibleTeam(call, call.params.teamId);
  const rows = db
    .createQueryBuilder(TeamMember, 'member')
    .where('member.teamId = :teamId', { teamId: call.params.teamId });
  if (query.role !== undefined) rows.andWhere('member.role = :role', { role: query.role });
  if (query.search !== undefined) {
    rows.andWhere(
      `EXISTS (SELECT FROM user_account u WHERE u.id = member.user_id
                  AND (u.name ILIKE :search OR u.email ILIKE :search))`,
      { search: likePattern(query.search) },
    );
  }
  const id: SortKey<TeamMember> = {
    column: 'member.userId',
    of: (row) => row.userId,
    holds: 'uuid',
  };
  const page = await readPage(rows, {
    cursor: query.cursor,
    limit: query.limit,
    total: query.total,
    sort: query.sort ?? 'userId',
    id,
    keys: { userId: id },
  });
  const users = await usersOf(
    db,
    page.rows.map((row) => row.userId),
  );
  const data = page.rows.flatMap((row) => {
    const user = users.get(row.userId);
    return user === undefined ? [] : [represent(row, user)];
  });
  return { data, nextCursor: page.nextCursor, matching: page.matching };
}

export async function add(call: Call<typeof rest.addTeamMember>): Promise<rest.TeamMember> {
  const { db, organisation, body } = call;
  const { teamId } = call.params;
  await managedTeam(call, teamId);
  const user = await db.findOneBy(User, { id: body.userId, organisationId: organisation.id });
  if (user === null) throw invalid('userId', 'no such user in this organisation');
  await db.insert(TeamMember, { teamId, organisationId: organisation.id, ...body });
  const after = represent(
    await db.findOneByOrFail(TeamMember, { teamId, userId: body.userId }),
    user,
  );
  call.changed({
    action: 'team-member.create',
    organisationId: organisation.id,
    target: { type: 'team-member', id: `${teamId}/${body.userId}` },
    after,
  });
  return after;
}

export async function update(call: Call<typeof rest.updateTeamMember>): Promise<rest.TeamMember> {
  const { db, organisation, body } = call;
  const { teamId, userId } = call.params;
  await managedTeam(call, teamId);
  const { row, user } = await membership(db, teamId, userId);
  await db.update(TeamMember, { teamId, userId }, body);
  const before = represent(row, user);
  const after = { ...before, role: body.role };
  call.changed({
    action: 'team-member.update',
    organisationId: organisation.id,
    target: { type: 'team-member', id: `${teamId}/${userId}` },
    before,
    after,
  });
  return after;
}

/** Revokes the user's keys that charge this team. */
export async function remove(call: Call<typeof rest.removeTeamMember>): Promise<void> {
  const { db, organisation } = call;
  const { teamId, userId } = call.params;
  await managedTeam(call, teamId);
  const { row, user } = await membership(db, teamId, userId);
  await endMembership(db, row, call.nowMs);
  call.changed({
    action: 'team-member.delete',
    organisationId: organisation.id,
    target: { type: 'team-member', id: `${teamId}/${userId}` },
    before: represent(row, user),
    news: [{ kind: 'TEAM', organisationId: organisation.id }],
  });
}

/** A team whose members the caller may change: 404 when not visible, 403 when not managed. */
async function managedTeam(
  call: Pick<Call, 'db' | 'organisation' | 'access'>,
  teamId: string,
): Promise<void> {
  await visibleTeam(call, teamId, true);
  if (!managesTeam(call.access, teamId)) throw restError('forbidden');
}

async function membership(
  db: EntityManager,
  teamId: string,
  userId: string,
): Promise<{ row: TeamMember; user: User }> {
  const row = await db.findOneBy(TeamMember, { teamId, userId });
  const user = await db.findOneBy(User, { id: userId });
  if (row === null || user === null) throw restError('not_found');
  return { row, user };
}

async function usersOf(db: EntityManager, ids: string[]): Promise<Map<string, User>> {
  if (ids.length === 0) return new Map();
  const users = await db
    .createQueryBuilder(User, 'user')
    .where('user.id = ANY(:ids::uuid[])', { ids })
    .getMany();
  return new Map(users.map((user) => [user.id, user]));
}
