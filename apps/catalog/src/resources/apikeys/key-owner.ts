import { restError, type rest } from '@tollgate/contracts';

import { TeamMember } from '../../entities/team-member.entity';
import { Team } from '../../entities/team.entity';
import { User } from '../../entities/user.entity';
import { managesTeam, reaches, type Owner } from '../../rest/access';
import type { Call } from '../../rest/call';
import { invalid } from '../../rest/field-errors';

/**
 * Who owns a new key, and who is charged. ORGANISATION: the organisation. TEAM: the team. USER: the
 * user, or one of the user's teams if the key names one; then only that team is charged.
 */
export async function assertOwner(
  call: Pick<Call, 'db' | 'organisation' | 'access' | 'actor'>,
  draft: Pick<rest.ApiKeyCreate, 'type' | 'teamId' | 'userId'>,
): Promise<Owner> {
  const { db, organisation, access, actor } = call;
  const teamId = draft.teamId ?? null;
  // A platform user belongs to no organisation, so cannot be the default owner.
  const self = actor.organisation?.id === organisation.id ? actor.id : null;
  const userId = draft.type === 'USER' ? (draft.userId ?? self) : null;
  if (draft.type === 'USER' && userId === null) throw invalid('userId', 'name a user');
  const owner = { teamId, userId };

  if (!reaches(access, owner)) throw restError('forbidden');
  if (draft.type === 'TEAM' && teamId !== null && !managesTeam(access, teamId)) {
    throw restError('forbidden');
  }
  const organisationId = organisation.id;
  if (
    teamId !== null &&
    // Locks the row for sharing, so that the owner is not deleted before the key commits.
    (await db.findOne(Team, {
      where: { id: teamId, organisationId, status: 'ACTIVE' },
      lock: { mode: 'pessimistic_read' },
    })) === null
  ) {
    throw invalid('teamId', 'no such team in this organisation');
  }
  if (
    userId !== null &&
    (await db.findOne(User, {
      where: { id: userId, organisationId, status: 'ACTIVE' },
      lock: { mode: 'pessimistic_read' },
    })) === null
  ) {
    throw invalid('userId', 'no such active user in this organisation');
  }
  if (
    teamId !== null &&
    userId !== null &&
    (await db.findOne(TeamMember, {
      where: { teamId, userId },
      lock: { mode: 'pessimistic_read' },
    })) === null
  ) {
    throw invalid('teamId', 'the user is not in this team');
  }
  return owner;
}
