import { rest, restError } from '@tollgate/contracts';

import { endSessions, liveSessions, type LiveSession } from '../../auth';
import { serve, type Call, type Route } from '../../rest/call';
import { assertAssignable, find, type Within } from './users';

/** Sessions of a user: for the user and for administrators. */
export const sessionRoutes: Route[] = [
  serve(rest.listOwnSessions, (call) => list(call, call.actor.id)),
  serve(rest.endOtherSessions, async (call) => {
    const { id, sessionId, organisation } = call.actor;
    await endSessions(call.db, { userId: id, exceptFamilyId: sessionId }, call.nowMs);
    call.changed({
      action: 'session.revoke-others',
      organisationId: organisation?.id ?? null,
      target: { type: 'user', id },
    });
  }),
  serve(rest.endOwnSession, (call) =>
    endOne(call, { id: call.actor.id, organisationId: call.actor.organisation?.id ?? null }),
  ),

  serve(rest.listUserSessions, async (call) =>
    list(call, (await find(call.db, own(call), call.params.userId)).id),
  ),
  serve(rest.endUserSessions, (call) => endAll(call, own(call))),
  serve(rest.endUserSession, async (call) => endOne(call, await administered(call, own(call)))),

  serve(rest.listPlatformUserSessions, async (call) =>
    list(call, (await find(call.db, 'everywhere', call.params.userId)).id),
  ),
  serve(rest.endPlatformUserSessions, (call) => endAll(call, 'everywhere')),
  serve(rest.endPlatformUserSession, async (call) =>
    endOne(call, await administered(call, 'everywhere')),
  ),
];

type Calling = Pick<Call, 'db' | 'actor' | 'nowMs' | 'changed'>;
interface Owner {
  readonly id: string;
  readonly organisationId: string | null;
}

async function list(
  call: Calling,
  userId: string,
): Promise<{ data: rest.UserSession[]; nextCursor: null }> {
  const sessions = await liveSessions(call.db, userId, call.nowMs);
  return { data: sessions.map((one) => represent(one, call.actor.sessionId)), nextCursor: null };
}

async function endOne(
  call: Calling & { readonly params: { readonly sessionId: string } },
  owner: Owner,
): Promise<void> {
  const { sessionId } = call.params;
  const sessions = await liveSessions(call.db, owner.id, call.nowMs);
  if (!sessions.some(({ id }) => id === sessionId)) throw restError('not_found');
  await endSessions(call.db, { familyId: sessionId }, call.nowMs);
  call.changed({
    action: 'session.revoke',
    organisationId: owner.organisationId,
    target: { type: 'session', id: sessionId },
    before: { userId: owner.id },
  });
}

async function endAll(
  call: Calling & { readonly params: { readonly userId: string } },
  within: Within,
): Promise<void> {
  const owner = await administered(call, within);
  await endSessions(call.db, { userId: owner.id }, call.nowMs);
  call.changed({
    action: 'session.revoke-all',
    organisationId: owner.organisationId,
    target: { type: 'user', id: owner.id },
  });
}

/** A user whose sessions the caller may end: nobody acts on a role above their own. */
async function administered(
  call: Calling & { readonly params: { readonly userId: string } },
  within: Within,
): Promise<Owner> {
  const user = await find(call.db, within, call.params.userId);
  assertAssignable(call.actor.role, user.role);
  return user;
}

function own(call: Pick<Call, 'organisation'>): Within {
  return { organisationId: call.organisation.id };
}

function represent(session: LiveSession, currentId: string): rest.UserSession {
  const { id, method, userAgent, remoteAddress, createdAt, lastSeenAt } = session;
  return {
    id,
    method,
    userAgent,
    remoteAddress,
    createdAt: createdAt.toISOString(),
    lastSeenAt: lastSeenAt.toISOString(),
    current: id === currentId,
  };
}
