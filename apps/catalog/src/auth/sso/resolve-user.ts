import { uuidv7 } from '@tollgate/kit';
import { In, type EntityManager } from 'typeorm';

import type { Change } from '../../audit';
import { OrganisationInvitation } from '../../entities/organisation-invitation.entity';
import { Organisation } from '../../entities/organisation.entity';
import { TeamMember } from '../../entities/team-member.entity';
import { Team } from '../../entities/team.entity';
import { User } from '../../entities/user.entity';
import { admitInvited, endMembership, isOpen } from '../../membership';
import { dropResetLinks } from '../password-reset';
import { endSessions } from '../sessions';
import { maySignIn } from '../sign-in';
import { SsoRefusal } from '../sso-refusal';
import { UserIdentity } from '../user-identity.entity';
import type { Person } from './claims';
import type { SsoSettings } from './settings';

/** Maps a person of the identity provider to a user, and applies role and teams from the claims. */

/**
 * At most so many teams are joined in one sign-in. Memberships are only ended when a claim omits
 * them.
 */
const MAX_TEAMS = 50;
/** Each organisation has at most one pending invitation for an address. */
const MAX_INVITATIONS = 100;

export interface ResolvedUser {
  readonly user: User;
  readonly changes: readonly Change[];
}

/**
 * Finds a person's user by subject, then by verified address. Otherwise creates the user in the
 * organisation that claims or settings name, using its invitation if there is one; without a named
 * organisation, a single open invitation decides. Updates role and teams where claims decide them.
 * Throws SsoRefusal.
 */
export async function resolveSsoUser(
  tx: EntityManager,
  issuer: string,
  person: Person,
  settings: SsoSettings,
  nowMs: number,
): Promise<ResolvedUser> {
  const { user, changes } =
    (await findLinkedUser(tx, issuer, person)) ??
    (await linkByEmail(tx, issuer, person, settings, nowMs));
  if (!(await maySignIn(tx, user))) throw new SsoRefusal('sso_account_disabled');
  if (user.organisationId === null) return { user, changes };
  await assertOrganisation(tx, user.organisationId, person);
  const role = await followRole(tx, user, person);
  const teams = await followTeams(tx, user.organisationId, user, person, nowMs);
  return { user, changes: [...changes, ...role, ...teams] };
}

async function findLinkedUser(
  tx: EntityManager,
  issuer: string,
  { subject }: Person,
): Promise<ResolvedUser | undefined> {
  const identity = await tx.findOneBy(UserIdentity, { issuer, subject });
  if (identity === null) return undefined;
  return { user: await tx.findOneByOrFail(User, { id: identity.userId }), changes: [] };
}

/** An address that the provider has not verified never links to an account. */
async function linkByEmail(
  tx: EntityManager,
  issuer: string,
  person: Person,
  settings: SsoSettings,
  nowMs: number,
): Promise<ResolvedUser> {
  const { email, emailVerified, subject } = person;
  if (email === undefined || !emailVerified) throw new SsoRefusal('sso_email_not_verified');
  const user = await tx.findOne(User, { where: { email }, lock: { mode: 'for_no_key_update' } });
  const placed =
    user === null
      ? await createUser(tx, email, person, settings, nowMs)
      : await linkExistingUser(tx, issuer, person, user, nowMs);
  await tx.insert(UserIdentity, { issuer, subject, userId: placed.user.id });
  const link: Change = {
    action: 'user.link-identity',
    organisationId: placed.user.organisationId,
    target: { type: 'user', id: placed.user.id },
    after: { issuer, subject },
  };
  return { user: placed.user, changes: [...placed.changes, link] };
}

/**
 * Links an existing account, whose row is locked. Whoever created it may not have owned the
 * address, so the first link removes its password and ends its sessions. A super admin's account
 * keeps its password, for when the provider is down; no tenant can create one.
 */
async function linkExistingUser(
  tx: EntityManager,
  issuer: string,
  { subject }: Person,
  user: User,
  nowMs: number,
): Promise<ResolvedUser> {
  const identities = await tx.findBy(UserIdentity, { userId: user.id });
  const { organisationId } = user;
  const target = { type: 'user', id: user.id };
  if (identities.some((identity) => identity.issuer === issuer)) {
    const after = { issuer, subject };
    const trail = { action: 'user.refuse-identity', organisationId, target, after };
    throw new SsoRefusal('sso_account_linked', undefined, trail);
  }
  if (identities.length > 0 || organisationId === null) return { user, changes: [] };
  await tx.update(User, { id: user.id }, { passwordHash: null });
  await dropResetLinks(tx, user.id);
  await endSessions(tx, { userId: user.id }, nowMs);
  return { user, changes: [{ action: 'user.forget-password', organisationId, target }] };
}

async function createUser(
  tx: EntityManager,
  email: string,
  person: Person,
  settings: SsoSettings,
  nowMs: number,
): Promise<ResolvedUser> {
  const { name, role } = person;
  const { defaultOrganisation } = settings;
  const slugs =
    person.organisations ?? (defaultOrganisation === undefined ? undefined : [defaultOrganisation]);
  const [invitation, another] = await openInvitations(tx, email, slugs, nowMs);
  if (invitation !== undefined) {
    if (slugs === undefined && another !== undefined) {
      throw new SsoRefusal(
        'sso_no_organisation',
        'several organisations have invited this person, and no claim names one',
      );
    }
    return admitInvited(tx, invitation, { name, passwordHash: null }, nowMs);
  }
  const organisation = await tx.findOne(Organisation, {
    where: { slug: In([...(slugs ?? [])]), status: 'ACTIVE' },
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

/**
 * Invitations that can be accepted, locked; only of the organisations with these slugs, if given.
 */
async function openInvitations(
  tx: EntityManager,
  email: string,
  slugs: readonly string[] | undefined,
  nowMs: number,
): Promise<OrganisationInvitation[]> {
  const pending = tx
    .createQueryBuilder(OrganisationInvitation, 'invitation')
    .innerJoin(Organisation, 'organisation', 'organisation.id = invitation.organisationId')
    .where(`invitation.email = :email AND invitation.status = 'PENDING'`, { email })
    .andWhere('invitation.expiresAt > :now', { now: new Date(nowMs) })
    .andWhere(`organisation.status = 'ACTIVE'`);
  if (slugs !== undefined) pending.andWhere('organisation.slug = ANY(:slugs::text[])', { slugs });
  const found = await pending
    .orderBy('organisation.slug')
    .limit(MAX_INVITATIONS)
    .setLock('pessimistic_write', undefined, ['invitation'])
    .getMany();
  const open: OrganisationInvitation[] = [];
  for (const one of found) if (await isOpen(tx, one, nowMs)) open.push(one);
  return open;
}

/** A user belongs to one organisation, because their objects do: nobody is moved. */
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
  const wanted = await tx.find(Team, {
    where: { organisationId, status: 'ACTIVE', name: In([...names]) },
    order: { id: 'ASC' },
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
  const missing = wanted.filter(({ id }) => !members.some(({ teamId }) => teamId === id));
  const room = Math.max(0, MAX_TEAMS - (wanted.length - missing.length));
  for (const { id: teamId } of missing.slice(0, room)) {
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
