import { restError, type rest } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';
import { In, type EntityManager } from 'typeorm';
import { z } from 'zod';

import { ApiKey } from '../../entities/api-key.entity';
import { freedName } from '../../entities/freed-name';
import { TeamMember } from '../../entities/team-member.entity';
import { Team } from '../../entities/team.entity';
import { reachesTeam } from '../../rest/access';
import type { Call } from '../../rest/call';
import { definedFields } from '../../rest/defined-fields';
import { idKey, likePattern, readPage } from '../../rest/paging';
import { endLimitsOf } from '../limits/end-limits';
import { bySpend, joinMonthSpend, monthSpendOf } from '../spend/month-spend';

function represent(row: Team, memberCount: number): rest.Team {
  return {
    id: row.id,
    organisationId: row.organisationId,
    name: row.name,
    memberCount,
    allowedRegions: row.allowedRegions,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

export async function list(
  call: Call<typeof rest.listTeams>,
): Promise<rest.PageOf<rest.ListedTeam>> {
  const { query, access } = call;
  const rows = call.db
    .createQueryBuilder(Team, 'team')
    .where(`team.organisationId = :organisationId AND team.status = 'ACTIVE'`, {
      organisationId: call.organisation.id,
    });
  if (access.reach === 'teams' || access.reach === 'self') {
    rows.andWhere('team.id = ANY(:own::uuid[])', { own: [...access.teamIds] });
  }
  if (query.search !== undefined) {
    rows.andWhere('team.name ILIKE :search', { search: likePattern(query.search) });
  }
  if (query.userId !== undefined) {
    rows.andWhere(
      `EXISTS (SELECT 1 FROM team_member m WHERE m.team_id = team.id AND m.user_id = :userId)`,
      { userId: query.userId },
    );
  }
  joinMonthSpend(rows, call, { owner: 'team_id', id: 'team.id' });
  const id = idKey<Team>('team.id');
  const page = await readPage(rows, {
    cursor: query.cursor,
    limit: query.limit,
    total: query.total,
    sort: query.sort ?? 'name',
    id,
    keys: {
      createdAt: id,
      name: { column: 'team.name', of: (row) => row.name },
      spentUsd: bySpend<Team>(),
    },
  });
  const ids = page.rows.map(({ id: one }) => one);
  const counts = await memberCounts(call.db, ids);
  const spent = await monthSpendOf(call, 'team_id', ids);
  const data = page.rows.map((row) => ({
    ...represent(row, counts.get(row.id) ?? 0),
    spentUsd: spent(row.id),
  }));
  return { data, nextCursor: page.nextCursor, matching: page.matching };
}

export async function get(call: Call<typeof rest.getTeam>): Promise<rest.Team> {
  const row = await visibleTeam(call, call.params.teamId);
  return withCount(call.db, row);
}

export async function create(call: Call<typeof rest.createTeam>): Promise<rest.Team> {
  const { db, organisation } = call;
  const id = uuidv7();
  await db.insert(Team, { id, organisationId: organisation.id, ...call.body });
  const after = represent(await db.findOneByOrFail(Team, { id }), 0);
  call.changed({
    action: 'team.create',
    organisationId: organisation.id,
    target: { type: 'team', id },
    after,
  });
  return after;
}

export async function update(call: Call<typeof rest.updateTeam>): Promise<rest.Team> {
  const { db, organisation } = call;
  const id = call.params.teamId;
  const before = await withCount(db, await visibleTeam(call, id, true));
  call.expectMatch(before);
  await db.update(Team, { id }, definedFields(call.body));
  const after = await withCount(db, await db.findOneByOrFail(Team, { id }));
  call.changed({
    action: 'team.update',
    organisationId: organisation.id,
    target: { type: 'team', id },
    before,
    after,
    news: [{ kind: 'TEAM', organisationId: organisation.id }],
  });
  return after;
}

/**
 * Keeps the row for records and revoked keys that name it, and frees its name. Ends memberships and
 * limits, and revokes keys that charge the team.
 */
export async function remove(call: Call<typeof rest.deleteTeam>): Promise<void> {
  const { db, organisation } = call;
  const id = call.params.teamId;
  const row = await visibleTeam(call, id, true);
  const before = await withCount(db, row);
  call.expectMatch(before);
  await db.update(Team, { id }, { status: 'ARCHIVED', name: freedName(row.name, id) });
  await db.delete(TeamMember, { teamId: id });
  await db.update(
    ApiKey,
    { organisationId: organisation.id, teamId: id, status: 'ACTIVE' },
    { status: 'REVOKED', revokedAt: new Date(call.nowMs) },
  );
  await endLimitsOf(db, organisation.id, 'TEAM', id);
  call.changed({
    action: 'team.delete',
    organisationId: organisation.id,
    target: { type: 'team', id },
    before,
    news: [{ kind: 'TEAM', organisationId: organisation.id }],
  });
}

type InOrganisation = Pick<Call, 'db' | 'organisation' | 'access'>;

/** A team of the organisation that is visible to the caller, or 404. */
export async function visibleTeam(call: InOrganisation, id: string, lock = false): Promise<Team> {
  const found = await call.db.findOne(Team, {
    where: { id, organisationId: call.organisation.id, status: 'ACTIVE' },
    ...(lock ? { lock: { mode: 'pessimistic_write' } } : {}),
  });
  if (found === null || !reachesTeam(call.access, id)) throw restError('not_found');
  return found;
}

async function withCount(db: EntityManager, row: Team): Promise<rest.Team> {
  return represent(row, await db.countBy(TeamMember, { teamId: In([row.id]) }));
}

const counted = z.array(z.object({ teamId: z.string(), members: z.string() }));

async function memberCounts(db: EntityManager, ids: string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const found = await db.query(
    `SELECT team_id AS "teamId", count(*) AS members FROM team_member
     WHERE team_id = ANY($1::uuid[]) GROUP BY team_id`,
    [ids],
  );
  return new Map(counted.parse(found).map((row) => [row.teamId, Number(row.members)]));
}
