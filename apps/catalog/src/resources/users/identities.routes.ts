import { createHash } from 'node:crypto';
import { rest, restError } from '@tollgate/contracts';
import type { EntityManager } from 'typeorm';

import { endSessions, liveSessions } from '../../auth';
import { UserIdentity } from '../../auth/user-identity.entity';
import type { User } from '../../entities/user.entity';
import { serve, type Call, type Route } from '../../rest/call';
import { assertAssignable, find, type Within } from './users';

/**
 * Identities of a user at identity providers: for the user and for administrators. Signing in links
 * an identity (`auth/sso`), also again after an unlink.
 */
export function createIdentityRoutes(deps: {
  /** The configured identity provider; undefined when single sign-on is disabled. */
  readonly issuer: URL | undefined;
}): Route[] {
  const { issuer } = deps;
  return [
    serve(rest.listOwnIdentities, async (call) =>
      list(call, issuer, await find(call.db, 'everywhere', call.actor.id)),
    ),
    serve(rest.unlinkOwnIdentity, async (call) => {
      await unlink(call, issuer, await find(call.db, 'everywhere', call.actor.id, true));
    }),

    serve(rest.listUserIdentities, async (call) =>
      list(call, issuer, await find(call.db, own(call), call.params.userId)),
    ),
    serve(rest.unlinkUserIdentity, async (call) => {
      await unlink(call, issuer, await administered(call, own(call)));
    }),

    serve(rest.listPlatformUserIdentities, async (call) =>
      list(call, issuer, await find(call.db, 'everywhere', call.params.userId)),
    ),
    serve(rest.unlinkPlatformUserIdentity, async (call) => {
      await unlink(call, issuer, await administered(call, 'everywhere'));
    }),
  ];
}

type Calling = Pick<Call, 'db' | 'actor' | 'nowMs' | 'changed'>;

async function list(
  { db }: Calling,
  issuer: URL | undefined,
  user: User,
): Promise<{ data: rest.UserIdentity[]; nextCursor: null }> {
  const all = await identitiesOf(db, user);
  const data = all.map((one) => ({
    id: idOf(one),
    issuer: one.issuer,
    subject: one.subject,
    removable: isRemovable(user, all, one, issuer),
    createdAt: one.createdAt.toISOString(),
  }));
  return { data, nextCursor: null };
}

/** `user` is locked, so that concurrent calls cannot remove the last way to sign in. */
async function unlink(
  call: Calling & { readonly params: { readonly identityId: string } },
  issuer: URL | undefined,
  user: User,
): Promise<void> {
  const { db, actor } = call;
  const all = await identitiesOf(db, user);
  const one = all.find((identity) => idOf(identity) === call.params.identityId);
  if (one === undefined) throw restError('not_found');
  if (!isRemovable(user, all, one, issuer)) {
    throw restError(
      'conflict',
      'This is the only way to sign in to the account. Set a password first.',
    );
  }
  await db.delete(UserIdentity, { issuer: one.issuer, subject: one.subject });
  // Sessions do not record their identity, so all of them end, except the one making this call.
  for (const session of await liveSessions(db, user.id, call.nowMs)) {
    if (session.method !== 'SSO' || session.id === actor.sessionId) continue;
    await endSessions(db, { familyId: session.id }, call.nowMs);
  }
  call.changed({
    action: 'user.unlink-identity',
    organisationId: user.organisationId,
    target: { type: 'user', id: user.id },
    before: { issuer: one.issuer, subject: one.subject },
  });
}

/**
 * The id for paths, because issuers and subjects may contain any character: a UUIDv8 of their hash.
 */
function idOf({ issuer, subject }: Pick<UserIdentity, 'issuer' | 'subject'>): string {
  const bytes = createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest();
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex', 0, 16);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function identitiesOf(db: EntityManager, user: User): Promise<UserIdentity[]> {
  return db.find(UserIdentity, { where: { userId: user.id }, order: { createdAt: 'ASC' } });
}

/**
 * Removable while another way to sign in remains: a password, or an identity at the configured
 * provider.
 */
function isRemovable(
  user: User,
  all: readonly UserIdentity[],
  one: UserIdentity,
  issuer: URL | undefined,
): boolean {
  const works = (identity: UserIdentity): boolean =>
    issuer !== undefined && isIssuer(identity.issuer, issuer);
  if (user.passwordHash !== null || !works(one)) return true;
  return all.some((other) => other !== one && works(other));
}

// The issuer is stored as configured or as discovered, with or without a trailing slash.
function isIssuer(text: string, issuer: URL): boolean {
  return URL.canParse(text) && withoutSlash(new URL(text)) === withoutSlash(issuer);
}

function withoutSlash({ href }: URL): string {
  return href.endsWith('/') ? href.slice(0, -1) : href;
}

/** A user on whom the caller may act: nobody acts on a role above their own. */
async function administered(
  call: Calling & { readonly params: { readonly userId: string } },
  within: Within,
): Promise<User> {
  const user = await find(call.db, within, call.params.userId, true);
  assertAssignable(call.actor.role, user.role);
  return user;
}

function own(call: Pick<Call, 'organisation'>): Within {
  return { organisationId: call.organisation.id };
}
