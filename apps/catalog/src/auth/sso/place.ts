import { uuidv7 } from '@tollgate/kit';
import { In, type EntityManager } from 'typeorm';
import type { Change } from '../../audit';
import { admitInvited, isOpen } from '../../resources/invitations/admit';
import { OrganisationInvitation } from '../../resources/organisations/organisation-invitation.entity';
import { Organisation } from '../../resources/organisations/organisation.entity';
import { endMembership } from '../../resources/teams/members';
import { TeamMember } from '../../resources/teams/team-member.entity';
import { Team } from '../../resources/teams/team.entity';
import { User } from '../../resources/users/user.entity';
import { maySignIn } from '../sign-in';
import { UserIdentity } from '../user-identity.entity';
import type { Person } from './claims';
import { SsoRefusal } from './refusal';
import type { SsoSettings } from './settings';

/** Who a person of the identity provider is here, and what has to follow from what it says. */

const MAX_TEAMS = 50;

export type Placed = { readonly user: User; readonly changes: readonly Change[] };

/**
 * The user of a person, found by subject, or by verified address, or made: by an invitation, else in
 * the organisation the settings name. Role and teams are brought up to date where claims decide them.
 * Throws SsoRefusal.
 */
export async function placePerson(
  tx: EntityManager,
  issuer: string,
  person: Person,
  settings: SsoSettings,
  nowMs: number,
): Promise<Placed> {
  const { user, changes } =
    (await known(tx, issuer, person)) ?? (await linked(tx, issuer, person, settings, nowMs));
  if (!(await maySignIn(tx, user))) throw new SsoRefusal('sso_account_disabled');
  if (user.organisationId === null) return { user, changes };
  await assertOrganisation(tx, user.organisationId, person);
  const role = await followRole(tx, user, person);
  const teams = await followTeams(tx, user.organisationId, user, person, nowMs);
  return { user, changes: [...changes, ...role, ...teams] };
}

async function known(
  tx: EntityManager,
  issuer: string,
  { subject }: Person,
): Promise<Placed | undefined> {
  const identity = await tx.findOneBy(UserIdentity, { issuer, subject });
  if (identity === null) return undefined;
  return { user: await tx.findOneByOrFail(User, { id: identity.userId }), changes: [] };
}

/** An address that the provider does not vouch for opens nothing. */
async function linked(
  tx: EntityManager,
  issuer: string,
  person: Person,
  settings: SsoSettings,
  nowMs: number,
): Promise<Placed> {
  const { email, emailVerified, subject } = person;
  if (email === undefined || !emailVerified) throw new SsoRefusal('sso_email_not_verified');
  const user = await tx.findOneBy(User, { email });
  const placed =
    user === null ? await newcomer(tx, email, person, settings, nowMs) : { user, changes: [] };
  await tx.insert(UserIdentity, { issuer, subject, userId: placed.user.id });
  const link: Change = {
    action: 'user.link-identity',
    organisationId: placed.user.organisationId,
    target: { type: 'user', id: placed.user.id },
    after: { issuer, subject },
  };
  return { user: placed.user, changes: [...placed.changes, link] };
}

async function newcomer(
  tx: EntityManager,
  email: string,
  person: Person,
  settings: SsoSettings,
  nowMs: number,
): Promise<Placed> {
  const { name, role } = person;
  const invitation = await tx.findOne(OrganisationInvitation, {
    where: { email, status: 'PENDING' },
    order: { id: 'DESC' },
    lock: { mode: 'pessimistic_write' },
  });
  if (invitation !== null && (await isOpen(tx, invitation, nowMs))) {
    return admitInvited(tx, invitation, { name, passwordHash: null }, nowMs);
  }
  const slugs = person.organisations ?? [settings.defaultOrganisation ?? ''];
  const organisation = await tx.findOne(Organisation, {
    where: { slug: In([...slugs]), status: 'ACTIVE' },
    order: { slug: 'ASC' },
  });
  if (organisation === null) throw new SsoRefusal('sso_no_organisation');
  const id = uuidv7();
  const organisationId = organisation.id;
  const fields = { email, name, role: role ?? settings.defaultRole ?? ('USER' as const) };
  await tx.insert(User, { id, organisationId, ...fields, passwordHash: null });
  const target = { type: 'user', id };
  return {
    user: await tx.findOneByOrFail(User, { id }),
    changes: [{ action: 'user.create', organisationId, target, after: fields }],
  };
}

/** What belongs to a user stays in one organisation: nobody is moved. */
async function assertOrganisation(
  tx: EntityManager,
  organisationId: string,
  { organisations }: Person,
): Promise<void> {
  if (organisations === undefined) return;
  const { slug } = await tx.findOneByOrFail(Organisation, { id: organisationId });
  if (!organisations.includes(slug)) throw new SsoRefusal('sso_other_organisation');
}

async function followRole(tx: EntityManager, user: User, { role }: Person): Promise<Change[]> {
  if (role === undefined || role === user.role) return [];
  await tx.update(User, { id: user.id }, { role });
  return [
    {
      action: 'user.update',
      organisationId: user.organisationId,
      target: { type: 'user', id: user.id },
      before: { role: user.role },
      after: { role },
    },
  ];
}

async function followTeams(
  tx: EntityManager,
  organisationId: string,
  user: Pick<User, 'id' | 'role'>,
  { teams: names, role }: Person,
  nowMs: number,
): Promise<Change[]> {
  if (names === undefined) return [];
  const wanted = await tx.findBy(Team, {
    organisationId,
    status: 'ACTIVE',
    name: In(names.slice(0, MAX_TEAMS)),
  });
  const members = await tx.findBy(TeamMember, { organisationId, userId: user.id });
  const changes: Change[] = [];
  const note = (verb: 'create' | 'delete', teamId: string): void => {
    const state = { teamId, userId: user.id };
    changes.push({
      action: `team-member.${verb}`,
      organisationId,
      target: { type: 'team-member', id: `${teamId}/${user.id}` },
      ...(verb === 'create'
        ? { after: state }
        : { before: state, news: [{ kind: 'TEAM' as const, organisationId }] }),
    });
  };
  const manages = (role ?? user.role) === 'MANAGER';
  const teamRole = manages ? ('MANAGER' as const) : ('MEMBER' as const);
  for (const { id: teamId } of wanted) {
    if (members.some((member) => member.teamId === teamId)) continue;
    await tx.insert(TeamMember, { teamId, userId: user.id, organisationId, role: teamRole });
    note('create', teamId);
  }
  for (const member of members) {
    if (wanted.some(({ id }) => id === member.teamId)) continue;
    await endMembership(tx, member, nowMs);
    note('delete', member.teamId);
  }
  return changes;
}
