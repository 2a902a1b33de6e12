import { rest, restError } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';
import { In, type EntityManager, type SelectQueryBuilder } from 'typeorm';

import { formatTime, newToken, sha256, type Links } from '../../auth';
import { MailOutbox } from '../../entities/mail-outbox.entity';
import { OrganisationInvitation } from '../../entities/organisation-invitation.entity';
import { Organisation } from '../../entities/organisation.entity';
import { User } from '../../entities/user.entity';
import { enqueueLetter } from '../../mail';
import { activeTeams } from '../../membership';
import type { Call } from '../../rest/call';
import { conflict, invalid } from '../../rest/field-errors';
import { idKey, likePattern, readPage } from '../../rest/paging';

const DAY_MS = 86_400_000;
const RESENT_LIFE_MS = 7 * DAY_MS;

type Calling = Pick<Call, 'db' | 'actor' | 'access' | 'nowMs' | 'changed'>;

export async function list(
  call: Call<typeof rest.listInvitations>,
): Promise<rest.PageOf<rest.Invitation>> {
  const { db, query, nowMs } = call;
  const rows = db.createQueryBuilder(OrganisationInvitation, 'invitation');
  const organisationId = ownOr(call, query.organisationId);
  if (organisationId !== undefined) {
    rows.where('invitation.organisationId = :organisationId', { organisationId });
  }
  if (query.status !== undefined) ofStatus(rows, query.status, nowMs);
  if (query.search !== undefined) {
    rows.andWhere('invitation.email ILIKE :search', { search: likePattern(query.search) });
  }
  const id = idKey<OrganisationInvitation>('invitation.id');
  const page = await readPage(rows, {
    cursor: query.cursor,
    limit: query.limit,
    total: query.total,
    sort: query.sort ?? '-createdAt',
    id,
    keys: { createdAt: id, email: { column: 'invitation.email', of: (row) => row.email } },
  });
  const mails = await mailsOf(db, page.rows);
  const data = page.rows.map((row) => represent(row, mails.get(row.mailId ?? ''), nowMs));
  return { data, nextCursor: page.nextCursor, matching: page.matching };
}

export async function get(
  call: Calling & { readonly params: { readonly invitationId: string } },
): Promise<rest.Invitation> {
  return shown(call, await find(call, call.params.invitationId));
}

export async function create(
  call: Call<typeof rest.createInvitation>,
  links: Links,
): Promise<rest.SentInvitation> {
  const { db, body, actor, nowMs } = call;
  const { email, role } = body;
  const organisation = await organisationFor(call, body.organisationId);
  if (!rest.ASSIGNABLE_ROLES[actor.role].includes(role)) throw restError('forbidden');
  const organisationId = organisation.id;
  const teamIds = await activeTeams(db, organisationId, body.teamIds);
  const unknown = body.teamIds.findIndex((id) => !teamIds.includes(id));
  if (unknown >= 0) throw invalid(`teamIds[${unknown}]`, 'no such active team');
  if (await db.existsBy(User, { organisationId, email })) {
    throw conflict('email', 'is already a member');
  }
  await endExpired(db, organisationId, email, nowMs);
  const row = {
    id: uuidv7(),
    organisationId,
    email,
    role,
    teamIds,
    invitedBy: actor.id,
  };
  const token = newToken();
  const expiresAt = new Date(nowMs + body.expiresInDays * DAY_MS);
  const sent = await send(call, links, organisation, { email, token, expiresAt });
  await db.insert(OrganisationInvitation, {
    ...row,
    tokenSha256: sha256(token),
    expiresAt,
    acceptedAt: null,
    mailId: sent.mailId,
  });
  const after = await shown(call, await find(call, row.id));
  call.changed({
    action: 'invitation.create',
    organisationId,
    target: { type: 'invitation', id: row.id },
    after: { email, role, teamIds, expiresAt, mailed: sent.mailId !== null },
  });
  return { ...after, link: sent.link };
}

/** Creates a new link, for a lost or an expired one, and invalidates the old one. */
export async function resend(
  call: Call<typeof rest.resendInvitation>,
  links: Links,
): Promise<rest.SentInvitation> {
  const { db, actor, nowMs } = call;
  const row = await find(call, call.params.invitationId, true);
  assertPending(row);
  if (!rest.ASSIGNABLE_ROLES[actor.role].includes(row.role)) throw restError('forbidden');
  const organisation = await activeOrganisation(db, row.organisationId);
  const token = newToken();
  const expiresAt = new Date(nowMs + RESENT_LIFE_MS);
  const sent = await send(call, links, organisation, { email: row.email, token, expiresAt });
  // An unsent letter holds the invalidated link.
  if (row.mailId !== null) await db.delete(MailOutbox, { id: row.mailId, status: 'PENDING' });
  // The administrator who sends it again becomes the inviter.
  const change = {
    invitedBy: actor.id,
    tokenSha256: sha256(token),
    expiresAt,
    mailId: sent.mailId,
  };
  await db.update(OrganisationInvitation, { id: row.id }, change);
  call.changed({
    action: 'invitation.resend',
    organisationId: row.organisationId,
    target: { type: 'invitation', id: row.id },
    before: { expiresAt: row.expiresAt },
    after: { expiresAt, mailed: sent.mailId !== null },
  });
  return { ...(await shown(call, await find(call, row.id))), link: sent.link };
}

export async function revoke(call: Call<typeof rest.revokeInvitation>): Promise<rest.Invitation> {
  const { db } = call;
  const row = await find(call, call.params.invitationId, true);
  if (row.status === 'REVOKED') return shown(call, row);
  assertPending(row);
  await db.update(OrganisationInvitation, { id: row.id }, { status: 'REVOKED' });
  if (row.mailId !== null) await db.delete(MailOutbox, { id: row.mailId, status: 'PENDING' });
  call.changed({
    action: 'invitation.revoke',
    organisationId: row.organisationId,
    target: { type: 'invitation', id: row.id },
    before: { status: row.status },
    after: { status: 'REVOKED' },
  });
  return shown(call, await find(call, row.id));
}

async function send(
  call: Calling,
  { consoleUrl, keyRing, mail }: Links,
  organisation: Organisation,
  offer: { readonly email: string; readonly token: string; readonly expiresAt: Date },
): Promise<{ link: string | null; mailId: string | null }> {
  // The token is in the fragment, which browsers never send to a server, so no access log holds it.
  const link = `${consoleUrl}/accept-invitation#token=${offer.token}`;
  if (!mail) return { link, mailId: null };
  const content = {
    link,
    organisationName: organisation.name,
    inviterName: call.actor.name,
    expiresAt: formatTime(offer.expiresAt),
  };
  const letter = {
    kind: 'INVITATION' as const,
    organisationId: organisation.id,
    recipient: offer.email,
    content,
    expiresAtMs: offer.expiresAt.getTime(),
  };
  return { link: null, mailId: await enqueueLetter(call.db, keyRing, letter, call.nowMs) };
}

/** Throws 404 for another organisation's invitation. Locked when `lock` is set. */
async function find(
  call: Pick<Calling, 'db' | 'actor' | 'access'>,
  id: string,
  lock = false,
): Promise<OrganisationInvitation> {
  const organisationId = ownOr(call, undefined);
  const found = await call.db.findOne(OrganisationInvitation, {
    where: organisationId === undefined ? { id } : { id, organisationId },
    ...(lock ? { lock: { mode: 'pessimistic_write' } } : {}),
  });
  if (found === null) throw restError('not_found');
  return found;
}

/** The organisation to search; undefined: all of them. */
function ownOr(
  { actor, access }: Pick<Calling, 'actor' | 'access'>,
  asked: string | undefined,
): string | undefined {
  if (access.reach === 'everywhere') return asked;
  const own = actor.organisation?.id;
  if (own === undefined) throw restError('forbidden');
  if (asked !== undefined && asked !== own) throw restError('not_found');
  return own;
}

async function organisationFor(
  call: Pick<Calling, 'db' | 'actor' | 'access'>,
  asked: string | undefined,
): Promise<Organisation> {
  const organisationId = ownOr(call, asked);
  if (organisationId === undefined) {
    throw invalid('organisationId', 'is required for a platform user');
  }
  const found = await call.db.findOneBy(Organisation, { id: organisationId });
  if (found === null) throw restError('not_found');
  return activeOrganisation(call.db, organisationId);
}

async function activeOrganisation(db: EntityManager, id: string): Promise<Organisation> {
  const found = await db.findOneByOrFail(Organisation, { id });
  if (found.status !== 'ACTIVE') throw restError('conflict', 'The organisation is not active.');
  return found;
}

/** An expired invitation must not block a new one for the same address. */
async function endExpired(
  db: EntityManager,
  organisationId: string,
  email: string,
  nowMs: number,
): Promise<void> {
  await db
    .createQueryBuilder()
    .update(OrganisationInvitation)
    .set({ status: 'REVOKED' })
    .where({ organisationId, email, status: 'PENDING' })
    .andWhere('expires_at <= :now', { now: new Date(nowMs) })
    .execute();
}

function assertPending(row: OrganisationInvitation): void {
  if (row.status === 'PENDING') return;
  throw restError('conflict', `The invitation was ${row.status.toLowerCase()}.`);
}

function ofStatus(
  rows: SelectQueryBuilder<OrganisationInvitation>,
  status: rest.InvitationStatus,
  nowMs: number,
): void {
  const now = new Date(nowMs);
  if (status === 'EXPIRED') {
    rows.andWhere(`invitation.status = 'PENDING' AND invitation.expiresAt <= :now`, { now });
  } else if (status === 'PENDING') {
    rows.andWhere(`invitation.status = 'PENDING' AND invitation.expiresAt > :now`, { now });
  } else {
    rows.andWhere('invitation.status = :status', { status });
  }
}

async function shown(
  call: Pick<Calling, 'db' | 'nowMs'>,
  row: OrganisationInvitation,
): Promise<rest.Invitation> {
  const mails = await mailsOf(call.db, [row]);
  return represent(row, mails.get(row.mailId ?? ''), call.nowMs);
}

async function mailsOf(
  db: EntityManager,
  invitations: readonly OrganisationInvitation[],
): Promise<Map<string, MailOutbox>> {
  const ids = invitations.flatMap(({ mailId }) => (mailId === null ? [] : [mailId]));
  if (ids.length === 0) return new Map();
  const found = await db.findBy(MailOutbox, { id: In(ids) });
  return new Map(found.map((mail) => [mail.id, mail]));
}

function represent(
  row: OrganisationInvitation,
  mail: MailOutbox | undefined,
  nowMs: number,
): rest.Invitation {
  const expired = row.status === 'PENDING' && row.expiresAt.getTime() <= nowMs;
  return {
    id: row.id,
    organisationId: row.organisationId,
    email: row.email,
    role: row.role,
    teamIds: row.teamIds,
    status: expired ? 'EXPIRED' : row.status,
    invitedBy: row.invitedBy,
    expiresAt: row.expiresAt.toISOString(),
    acceptedAt: row.acceptedAt?.toISOString() ?? null,
    mail:
      mail === undefined
        ? null
        : {
            status: mail.status,
            attempts: mail.attempts,
            lastError: mail.lastError,
            sentAt: mail.sentAt?.toISOString() ?? null,
          },
    createdAt: row.createdAt.toISOString(),
  };
}
