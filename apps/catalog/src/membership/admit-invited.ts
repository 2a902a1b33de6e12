import { rest } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';
import type { EntityManager } from 'typeorm';

import type { Change } from '../audit';
import { OrganisationInvitation } from '../entities/organisation-invitation.entity';
import { Organisation } from '../entities/organisation.entity';
import { TeamMember } from '../entities/team-member.entity';
import { Team } from '../entities/team.entity';
import { User } from '../entities/user.entity';

/** The shared end of every way to accept an invitation. */

/**
 * Creates the invited user with memberships, and consumes the invitation, whose row must be locked
 * and open. Teams archived since are skipped.
 */
export async function admitInvited(
  tx: EntityManager,
  invitation: OrganisationInvitation,
  person: { readonly name: string; readonly passwordHash: string | null },
  nowMs: number,
): Promise<{ user: User; changes: Change[] }> {
  const { id, organisationId, email, role } = invitation;
  const userId = uuidv7();
  await tx.insert(User, { id: userId, organisationId, email, role, ...person });
  const teamIds = await activeTeams(tx, organisationId, invitation.teamIds);
  const teamRole = role === 'MANAGER' ? ('MANAGER' as const) : ('MEMBER' as const);
  for (const teamId of teamIds) {
    await tx.insert(TeamMember, { teamId, userId, organisationId, role: teamRole });
  }
  await tx.update(
    OrganisationInvitation,
    { id },
    { status: 'ACCEPTED', acceptedAt: new Date(nowMs) },
  );
  const user = await tx.findOneByOrFail(User, { id: userId });
  const after = { email, name: person.name, role, teamIds, invitationId: id };
  return {
    user,
    changes: [
      { action: 'user.create', organisationId, target: { type: 'user', id: userId }, after },
      {
        action: 'invitation.accept',
        organisationId,
        target: { type: 'invitation', id },
        before: { status: 'PENDING' },
        after: { status: 'ACCEPTED' },
      },
    ],
  };
}

/** The active teams of the organisation among these. */
export async function activeTeams(
  db: EntityManager,
  organisationId: string,
  teamIds: readonly string[],
): Promise<string[]> {
  if (teamIds.length === 0) return [];
  const found = await db
    .createQueryBuilder(Team, 'team')
    .where('team.organisationId = :organisationId', { organisationId })
    .andWhere(`team.status = 'ACTIVE' AND team.id = ANY(:teamIds::uuid[])`, { teamIds })
    .orderBy('team.id')
    .getMany();
  return found.map(({ id }) => id);
}

/**
 * Whether it can be accepted: pending, not expired, of an active organisation, and from an inviter
 * who may still assign its role.
 */
export async function isOpen(
  db: EntityManager,
  invitation: OrganisationInvitation,
  nowMs: number,
): Promise<boolean> {
  if (invitation.status !== 'PENDING' || invitation.expiresAt.getTime() <= nowMs) return false;
  const inviter = await db.findOneBy(User, { id: invitation.invitedBy, status: 'ACTIVE' });
  if (inviter === null || !rest.ASSIGNABLE_ROLES[inviter.role].includes(invitation.role)) {
    return false;
  }
  return db.existsBy(Organisation, { id: invitation.organisationId, status: 'ACTIVE' });
}
