import { rest, restError } from '@tollgate/contracts';
import type { DataSource } from 'typeorm';

import { recordChanges } from '../audit';
import { User } from '../entities/user.entity';
import { serve, serveOpen, type Actor, type PublicCall, type Route } from '../rest/call';
import { failureOf } from '../rest/error-answer';
import { invalid } from '../rest/field-errors';
import { ACCESS_TOKEN_SECONDS, type AccessTokens } from './access-token';
import { dropResetLinks } from './password-reset';
import { isOutdated, type Passwords } from './passwords';
import { endSessions, refreshSession, SESSION_SECONDS, sessionOf } from './sessions';
import { maySignIn, originOf, setRefreshCookie, signInUser } from './sign-in';
import { admitAttempt, signInCounts } from './throttle';

export interface AuthDeps {
  readonly orm: DataSource;
  readonly passwords: Passwords;
  readonly accessTokens: AccessTokens;
}

export function createAuthRoutes(deps: AuthDeps): Route[] {
  return [...sessionRoutes(deps), ...accountRoutes(deps)];
}

function sessionRoutes({ orm, passwords, accessTokens }: AuthDeps): Route[] {
  return [
    serveOpen(rest.login, async (call) => {
      const { email, password } = call.body;
      const succeeded = await admitAttempt(call, signInCounts(email, call.remoteAddress));
      const user = await call.db.findOneBy(User, { email });
      const right = await passwords.verify(user?.passwordHash ?? null, password);
      if (!right || user === null || !(await maySignIn(call.db, user))) {
        throw restError('invalid_credentials');
      }
      // The stored hash may have weaker parameters than today's; it is upgraded here.
      const verified = user.passwordHash ?? '';
      const raised = isOutdated(verified) ? await passwords.hash(password) : null;
      const opened = await orm.transaction(async (tx) => {
        if (raised !== null) {
          const stored = { id: user.id, passwordHash: verified };
          await tx.update(User, stored, { passwordHash: raised });
        }
        return signInUser(tx, call, user, 'PASSWORD', raised ?? verified);
      });
      await succeeded();
      return openedSession(call, accessTokens, user.id, opened);
    }),

    serveOpen(rest.refresh, async (call) => {
      const token = call.cookies[rest.REFRESH_COOKIE];
      if (token === undefined || token === '') throw restError('unauthenticated');
      const refreshed = await orm.transaction((tx) => refreshAndRecord(call, tx, token));
      const user = refreshed.ok ? await call.db.findOneBy(User, { id: refreshed.userId }) : null;
      if (!refreshed.ok || user === null || !(await maySignIn(call.db, user))) {
        setRefreshCookie(call, '', 0);
        throw restError('unauthenticated');
      }
      return openedSession(call, accessTokens, refreshed.userId, refreshed);
    }),

    serveOpen(rest.logout, async (call) => {
      const token = call.cookies[rest.REFRESH_COOKIE];
      if (token !== undefined && token !== '') {
        await orm.transaction(async (tx) => {
          const ending = await sessionOf(tx, token);
          if (ending !== undefined) await closeAndRecord(call, tx, ending);
        });
      }
      setRefreshCookie(call, '', 0);
    }),
  ];
}

/** Sets the refresh cookie; the answer has the access token. */
function openedSession(
  call: PublicCall,
  accessTokens: AccessTokens,
  userId: string,
  { sessionId, token }: { readonly sessionId: string; readonly token: string },
): rest.Session {
  setRefreshCookie(call, token, SESSION_SECONDS);
  return {
    accessToken: accessTokens.issue(userId, sessionId),
    tokenType: 'Bearer',
    expiresIn: ACCESS_TOKEN_SECONDS,
  };
}

/** What signed-in users read and change of their own account. */
function accountRoutes({ passwords }: AuthDeps): Route[] {
  return [
    serve(rest.getMe, (call) => Promise.resolve(represent(call.actor))),

    serve(rest.updateMe, async (call) => {
      const { actor, body } = call;
      await call.db.update(User, { id: actor.id }, { name: body.name });
      call.changed({
        action: 'user.update',
        organisationId: actor.organisation?.id ?? null,
        target: { type: 'user', id: actor.id },
        before: { name: actor.name },
        after: { name: body.name },
      });
      return represent({ ...actor, name: body.name });
    }),

    serve(rest.changePassword, async (call) => {
      const { actor, body } = call;
      const succeeded = await admitAttempt(call, signInCounts(actor.email, call.remoteAddress));
      const user = await call.db.findOneByOrFail(User, { id: actor.id });
      if (!(await passwords.verify(user.passwordHash, body.currentPassword))) {
        return refuseAfterCommit(call, invalid('currentPassword', 'is not your password'));
      }
      await succeeded();
      const passwordHash = await passwords.hash(body.newPassword);
      await call.db.update(User, { id: actor.id }, { passwordHash });
      await dropResetLinks(call.db, actor.id);
      await endSessions(call.db, { userId: actor.id, exceptFamilyId: actor.sessionId }, call.nowMs);
      call.changed({
        action: 'user.change-password',
        organisationId: actor.organisation?.id ?? null,
        target: { type: 'user', id: actor.id },
      });
    }),
  ];
}

async function refreshAndRecord(
  call: PublicCall,
  tx: PublicCall['db'],
  token: string,
): ReturnType<typeof refreshSession> {
  const refreshed = await refreshSession(tx, token, call.nowMs);
  if (!refreshed.ok && refreshed.reused !== undefined) {
    const user = await tx.findOneByOrFail(User, { id: refreshed.reused.userId });
    await recordChanges(tx, { actor: null, ...originOf(call) }, [
      {
        action: 'session.reuse-detected',
        organisationId: user.organisationId,
        target: { type: 'session', id: refreshed.reused.sessionId },
        after: { userId: user.id },
      },
    ]);
  }
  return refreshed;
}

async function closeAndRecord(
  call: PublicCall,
  tx: PublicCall['db'],
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<void> {
  await endSessions(tx, { familyId: sessionId }, call.nowMs);
  const user = await tx.findOneByOrFail(User, { id: userId });
  await recordChanges(tx, { actor: user, ...originOf(call) }, [
    {
      action: 'session.close',
      organisationId: user.organisationId,
      target: { type: 'session', id: sessionId },
    },
  ]);
}

/** Refuses after the commit, so that the failed attempt stays counted. */
function refuseAfterCommit(call: PublicCall, error: Error): void {
  const { status, body } = failureOf(error);
  call.setStatus(status);
  return body as unknown as void;
}

function represent(actor: Actor): rest.Me {
  const { id, email, name, role, organisation, managedTeamIds } = actor;
  return {
    id,
    email,
    name,
    role,
    organisation,
    managedTeamIds: [...managedTeamIds],
    actions: rest.ACTIONS.filter((action) => rest.can(role, action)),
  };
}
