import { rest, restError } from '@tollgate/contracts';
import type { Clock } from '@tollgate/kit';
import type { DataSource } from 'typeorm';
import { recordChanges } from '../audit';
import { Organisation } from '../resources/organisations/organisation.entity';
import { User } from '../resources/users/user.entity';
import { serve, serveOpen, type Actor, type PublicCall, type Route } from '../rest/call';
import { cookieHeader } from '../rest/cookies';
import { invalid } from '../rest/refusals';
import { ACCESS_TOKEN_SECONDS, type AccessTokens } from './access-token';
import type { Passwords } from './passwords';
import { endSessions, openSession, refreshSession, sessionOf, SESSION_SECONDS } from './sessions';
import { createThrottle } from './throttle';

export type AuthDeps = {
  readonly orm: DataSource;
  readonly clock: Clock;
  readonly passwords: Passwords;
  readonly accessTokens: AccessTokens;
};

export function createAuthRoutes(deps: AuthDeps): Route[] {
  const { orm, passwords, accessTokens } = deps;
  const throttle = createThrottle(deps.clock);

  function session(
    call: PublicCall,
    userId: string,
    sessionId: string,
    token: string,
  ): rest.Session {
    setRefreshCookie(call, token, SESSION_SECONDS);
    return {
      accessToken: accessTokens.issue(userId, sessionId),
      tokenType: 'Bearer',
      expiresIn: ACCESS_TOKEN_SECONDS,
    };
  }

  function assertNotThrottled(call: PublicCall, email: string): void {
    const waitMs = throttle.waitMs(email, call.remoteAddress);
    if (waitMs === 0) return;
    call.setHeader('retry-after', String(Math.ceil(waitMs / 1000)));
    throw restError('too_many_requests', 'Too many failed sign-ins. Wait before trying again.');
  }

  return [
    serveOpen(rest.login, async (call) => {
      const { email, password } = call.body;
      assertNotThrottled(call, email);
      const user = await call.db.findOneBy(User, { email });
      const right = await passwords.verify(user?.passwordHash ?? null, password);
      if (!right || user === null || !(await maySignIn(call, user))) {
        throttle.failed(email, call.remoteAddress);
        throw restError('invalid_credentials');
      }
      throttle.succeeded(email, call.remoteAddress);
      const opened = await orm.transaction(async (tx) => {
        await tx.query('UPDATE user_account SET last_login_at = $2 WHERE id = $1', [
          user.id,
          new Date(call.nowMs),
        ]);
        const made = await openSession(tx, user.id, call.nowMs);
        await recordChanges(tx, { actor: user, ...originOf(call) }, [
          {
            action: 'session.open',
            organisationId: user.organisationId,
            target: { type: 'session', id: made.sessionId },
          },
        ]);
        return made;
      });
      return session(call, user.id, opened.sessionId, opened.token);
    }),

    serveOpen(rest.refresh, async (call) => {
      const token = call.cookies[rest.REFRESH_COOKIE];
      if (token === undefined || token === '') throw restError('unauthenticated');
      const refreshed = await orm.transaction((tx) => refreshAndRecord(call, tx, token));
      const user = refreshed.ok ? await call.db.findOneBy(User, { id: refreshed.userId }) : null;
      if (!refreshed.ok || user === null || !(await maySignIn(call, user))) {
        setRefreshCookie(call, '', 0);
        throw restError('unauthenticated');
      }
      return session(call, refreshed.userId, refreshed.sessionId, refreshed.token);
    }),

    serveOpen(rest.logout, async (call) => {
      const token = call.cookies[rest.REFRESH_COOKIE];
      if (token !== undefined && token !== '') {
        await orm.transaction(async (tx) => {
          const ending = await sessionOf(tx, token);
          if (ending !== undefined)
            await endSessions(tx, { familyId: ending.sessionId }, call.nowMs);
        });
      }
      setRefreshCookie(call, '', 0);
    }),

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
      assertNotThrottled(call, actor.email);
      const user = await call.db.findOneByOrFail(User, { id: actor.id });
      if (!(await passwords.verify(user.passwordHash, body.currentPassword))) {
        throttle.failed(actor.email, call.remoteAddress);
        throw invalid('currentPassword', 'is not your password');
      }
      const passwordHash = await passwords.hash(body.newPassword);
      await call.db.update(User, { id: actor.id }, { passwordHash });
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

async function maySignIn(call: PublicCall, user: User): Promise<boolean> {
  if (user.status !== 'ACTIVE') return false;
  if (user.organisationId === null) return true;
  const found = await call.db.findOneBy(Organisation, { id: user.organisationId });
  return found?.status === 'ACTIVE';
}

function setRefreshCookie(call: PublicCall, value: string, maxAgeSeconds: number): void {
  const options = { path: '/api/auth', maxAgeSeconds, secure: call.encrypted };
  call.setHeader('set-cookie', cookieHeader(rest.REFRESH_COOKIE, value, options));
}

function originOf(call: PublicCall): { requestId: string; remoteAddress: string } {
  return { requestId: call.requestId, remoteAddress: call.remoteAddress };
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
