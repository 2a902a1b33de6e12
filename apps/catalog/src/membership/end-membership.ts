import type { EntityManager } from 'typeorm';

import { ApiKey } from '../entities/api-key.entity';
import { TeamMember } from '../entities/team-member.entity';

/**
 * Ends a user's membership of a team and revokes the user's keys that charge the team. The caller
 * writes the news (TEAM) for the data plane.
 */
export async function endMembership(
  db: EntityManager,
  { organisationId, teamId, userId }: Pick<TeamMember, 'organisationId' | 'teamId' | 'userId'>,
  nowMs: number,
): Promise<void> {
  await db.delete(TeamMember, { teamId, userId });
  await db.update(
    ApiKey,
    { organisationId, teamId, userId, status: 'ACTIVE' },
    { status: 'REVOKED', revokedAt: new Date(nowMs) },
  );
}
