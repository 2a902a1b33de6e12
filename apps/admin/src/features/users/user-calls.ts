import { rest } from '@tollgate/contracts';
import { useMemo } from 'react';

import { useRead, useRest } from '../../api/provider';
import type { RestClient } from '../../api/rest-client';
import type { ListInput } from '../../resource/list-input';
import { sourceOf, type Source } from '../../resource/source';
import { useScope } from '../../shell/scope';
import { narrowed } from './narrowed';

// Users have two equivalent APIs: below their organisation, and on the platform for users of any or
// no organisation. Only this file chooses between them.

type Calling = RestClient['call'];

/** The calls for a user. */
export interface UserCalls {
  /** `call` is the form's, which carries the user's ETag. */
  readonly update: (call: Calling, userId: string, body: rest.UserPatch) => Promise<rest.User>;
  readonly disable: (userId: string) => Promise<rest.User>;
  readonly enable: (userId: string) => Promise<rest.User>;
  readonly makeResetLink: (userId: string, idempotencyKey: string) => Promise<rest.ResetLink>;
  readonly endSessions: (userId: string) => Promise<void>;
  readonly endSession: (userId: string, sessionId: string) => Promise<void>;
  readonly unlinkIdentity: (userId: string, identityId: string) => Promise<void>;
}

/** Endpoints whose cached answers a change of a user outdates. */
export const STALE_USERS = [
  rest.listUsers.id,
  rest.getUser.id,
  rest.listPlatformUsers.id,
  rest.getPlatformUser.id,
];
export const STALE_SESSIONS = [rest.listUserSessions.id, rest.listPlatformUserSessions.id];
export const STALE_IDENTITIES = [
  rest.listUserIdentities.id,
  rest.listPlatformUserIdentities.id,
  ...STALE_SESSIONS,
];

export function useUserCalls(): UserCalls {
  const client = useRest();
  const { platform, organisation } = useScope();
  return useMemo(() => {
    if (platform) return platformCalls(client);
    if (organisation === null) throw new Error('this page belongs to an organisation');
    return organisationCalls(client, organisation.id);
  }, [client, platform, organisation]);
}

function platformCalls(client: RestClient): UserCalls {
  return {
    update: (call, userId, body) => call(rest.updatePlatformUser, { params: { userId }, body }),
    disable: (userId) => client.call(rest.disablePlatformUser, { params: { userId } }),
    enable: (userId) => client.call(rest.enablePlatformUser, { params: { userId } }),
    makeResetLink: (userId, idempotencyKey) =>
      client.call(rest.createPlatformUserResetLink, { params: { userId }, idempotencyKey }),
    endSessions: (userId) => client.call(rest.endPlatformUserSessions, { params: { userId } }),
    endSession: (userId, sessionId) =>
      client.call(rest.endPlatformUserSession, { params: { userId, sessionId } }),
    unlinkIdentity: (userId, identityId) =>
      client.call(rest.unlinkPlatformUserIdentity, { params: { userId, identityId } }),
  };
}

function organisationCalls(client: RestClient, organisationId: string): UserCalls {
  const of = (userId: string) => ({ params: { organisationId, userId } });
  return {
    update: (call, userId, body) => call(rest.updateUser, { ...of(userId), body }),
    disable: (userId) => client.call(rest.disableUser, of(userId)),
    enable: (userId) => client.call(rest.enableUser, of(userId)),
    makeResetLink: (userId, idempotencyKey) =>
      client.call(rest.createUserResetLink, { ...of(userId), idempotencyKey }),
    endSessions: (userId) => client.call(rest.endUserSessions, of(userId)),
    endSession: (userId, sessionId) =>
      client.call(rest.endUserSession, { params: { organisationId, userId, sessionId } }),
    unlinkIdentity: (userId, identityId) =>
      client.call(rest.unlinkUserIdentity, { params: { organisationId, userId, identityId } }),
  };
}

/** The source of the list of users, and its fixed filters. */
export function useUserSource(): { source: Source<rest.User>; fixed: ListInput } {
  const { platform, organisation } = useScope();
  if (platform) {
    return { source: sourceOf(rest.listPlatformUsers, {}), fixed: narrowed(organisation?.id) };
  }
  const organisationId = organisation?.id ?? '';
  return { source: sourceOf(rest.listUsers, { organisationId }), fixed: {} };
}

export function useUser(userId: string) {
  const { platform, organisation } = useScope();
  const anywhere = useRead(rest.getPlatformUser, { params: { userId } }, { enabled: platform });
  const organisationId = organisation?.id ?? '';
  const own = useRead(rest.getUser, { params: { organisationId, userId } }, { enabled: !platform });
  return platform ? anywhere : own;
}

export function useUserSessions(userId: string, enabled: boolean) {
  const { platform, organisation } = useScope();
  const anywhere = useRead(
    rest.listPlatformUserSessions,
    { params: { userId } },
    { enabled: enabled && platform },
  );
  const organisationId = organisation?.id ?? '';
  const own = useRead(
    rest.listUserSessions,
    { params: { organisationId, userId } },
    { enabled: enabled && !platform },
  );
  return platform ? anywhere : own;
}

export function useUserIdentities(userId: string) {
  const { platform, organisation } = useScope();
  const anywhere = useRead(
    rest.listPlatformUserIdentities,
    { params: { userId } },
    { enabled: platform },
  );
  const organisationId = organisation?.id ?? '';
  const own = useRead(
    rest.listUserIdentities,
    { params: { organisationId, userId } },
    { enabled: !platform },
  );
  return platform ? anywhere : own;
}
