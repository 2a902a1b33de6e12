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
      .meta({ description: 'Null: the session is older than this field.' }),
    userAgent: z.string().nullable(),
    remoteAddress: z.string().nullable(),
    createdAt: instant,
    lastSeenAt: instant.meta({ description: 'When its access token was last renewed.' }),
    current: z.boolean().meta({ description: 'Whether this request belongs to the session.' }),
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
  summary: 'Your own sessions, newest first',
  method: 'GET',
  path: sessionsPath,
  access: 'signed-in',
  response: sessions,
});

export const endOtherSessions = endpoint({
  id: 'endOtherSessions',
  tag,
  summary: 'End all of your other sessions',
  method: 'DELETE',
  path: sessionsPath,
  access: 'signed-in',
});

export const endOwnSession = endpoint({
  id: 'endOwnSession',
  tag,
  summary: 'End one of your sessions',
  method: 'DELETE',
  path: `${sessionsPath}/:sessionId`,
  access: 'signed-in',
});

export const listUserSessions = endpoint({
  id: 'listUserSessions',
  tag,
  summary: 'Sessions of a user of the organisation',
  method: 'GET',
  path: userSessionsPath,
  access: 'sessions.read',
  response: sessions,
});

export const endUserSessions = endpoint({
  id: 'endUserSessions',
  tag,
  summary: 'End all sessions of a user of the organisation',
  method: 'DELETE',
  path: userSessionsPath,
  access: 'sessions.write',
});

export const endUserSession = endpoint({
  id: 'endUserSession',
  tag,
  summary: 'End one session of a user of the organisation',
  method: 'DELETE',
  path: `${userSessionsPath}/:sessionId`,
  access: 'sessions.write',
});

export const listPlatformUserSessions = endpoint({
  id: 'listPlatformUserSessions',
  tag,
  summary: 'Sessions of a user of any organisation',
  method: 'GET',
  path: platformSessionsPath,
  access: 'platform.users.read',
  response: sessions,
});

export const endPlatformUserSessions = endpoint({
  id: 'endPlatformUserSessions',
  tag,
  summary: 'End all sessions of a user of any organisation',
  method: 'DELETE',
  path: platformSessionsPath,
  access: 'platform.users.write',
});

export const endPlatformUserSession = endpoint({
  id: 'endPlatformUserSession',
  tag,
  summary: 'End one session of a user of any organisation',
  method: 'DELETE',
  path: `${platformSessionsPath}/:sessionId`,
  access: 'platform.users.write',
});
