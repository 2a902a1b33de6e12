import { z } from 'zod';

import { endpoint } from './endpoint';
import { id, instant, page } from './fields';

export const SESSION_METHODS = ['PASSWORD', 'SSO'] as const;
export type SessionMethod = (typeof SESSION_METHODS)[number];

export const userSession = z
  .object({
    id,
    method: z
      .enum(SESSION_METHODS)
      .nullable()
      .meta({ description: 'Null for a session that began before this was written down.' }),
    userAgent: z.string().nullable(),
    remoteAddress: z.string().nullable(),
    createdAt: instant,
    lastSeenAt: instant.meta({ description: 'When its access token was last renewed.' }),
    current: z.boolean().meta({ description: 'Whether this very request belongs to it.' }),
  })
  .meta({ id: 'UserSession' });
export type UserSession = z.output<typeof userSession>;

const tag = 'Sessions';
const sessionsPath = '/api/auth/sessions';
const userSessionsPath = '/api/organisations/:organisationId/users/:userId/sessions';
const platformSessionsPath = '/api/admin/users/:userId/sessions';
// A user has at most fifty sessions, so that a list is one page.
const sessions = page(userSession);

export const listOwnSessions = endpoint({
  id: 'listOwnSessions',
  tag,
  summary: 'Where one is signed in, the latest first',
  method: 'GET',
  path: sessionsPath,
  access: 'signed-in',
  response: sessions,
});

export const endOtherSessions = endpoint({
  id: 'endOtherSessions',
  tag,
  summary: 'Sign out everywhere but here',
  method: 'DELETE',
  path: sessionsPath,
  access: 'signed-in',
});

export const endOwnSession = endpoint({
  id: 'endOwnSession',
  tag,
  summary: 'Sign out in one place',
  method: 'DELETE',
  path: `${sessionsPath}/:sessionId`,
  access: 'signed-in',
});

export const listUserSessions = endpoint({
  id: 'listUserSessions',
  tag,
  summary: 'Where a user of the organisation is signed in',
  method: 'GET',
  path: userSessionsPath,
  access: 'sessions.read',
  response: sessions,
});

export const endUserSessions = endpoint({
  id: 'endUserSessions',
  tag,
  summary: 'Sign a user of the organisation out everywhere',
  method: 'DELETE',
  path: userSessionsPath,
  access: 'sessions.write',
});

export const endUserSession = endpoint({
  id: 'endUserSession',
  tag,
  summary: 'Sign a user of the organisation out in one place',
  method: 'DELETE',
  path: `${userSessionsPath}/:sessionId`,
  access: 'sessions.write',
});

export const listPlatformUserSessions = endpoint({
  id: 'listPlatformUserSessions',
  tag,
  summary: 'Where a user, of whatever organisation, is signed in',
  method: 'GET',
  path: platformSessionsPath,
  access: 'platform.users.read',
  response: sessions,
});

export const endPlatformUserSessions = endpoint({
  id: 'endPlatformUserSessions',
  tag,
  summary: 'Sign a user, of whatever organisation, out everywhere',
  method: 'DELETE',
  path: platformSessionsPath,
  access: 'platform.users.write',
});

export const endPlatformUserSession = endpoint({
  id: 'endPlatformUserSession',
  tag,
  summary: 'Sign a user, of whatever organisation, out in one place',
  method: 'DELETE',
  path: `${platformSessionsPath}/:sessionId`,
  access: 'platform.users.write',
});
