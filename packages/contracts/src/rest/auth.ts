import { z } from 'zod';

import { ROLES } from '../enums';
import { endpoint } from './endpoint';
import { email, id, name, password } from './fields';
import { ACTIONS } from './permissions';

export const REFRESH_COOKIE = 'tollgate_refresh';

export const session = z
  .object({
    accessToken: z.string(),
    tokenType: z.literal('Bearer'),
    expiresIn: z.int().meta({ description: 'Seconds until the access token expires.' }),
  })
  .meta({ id: 'Session' });
export type Session = z.output<typeof session>;

export const me = z
  .object({
    id,
    email: z.string(),
    name: z.string(),
    role: z.enum(ROLES),
    organisation: z
      .object({ id, name: z.string(), slug: z.string(), timeZone: z.string() })
      .nullable()
      .meta({ description: 'Null for a platform user who belongs to no organisation.' }),
    managedTeamIds: z.array(id),
    actions: z.array(z.enum(ACTIONS as [string, ...string[]])),
  })
  .meta({ id: 'Me' });
export type Me = z.output<typeof me>;

const tag = 'Authentication';

export const login = endpoint({
  id: 'login',
  tag,
  summary: 'Sign in with email address and password; sets the refresh token as a cookie',
  method: 'POST',
  path: '/api/auth/login',
  access: 'public',
  body: z.strictObject({ email, password: z.string().min(1).max(200) }).meta({ id: 'Login' }),
  response: session,
});

export const refresh = endpoint({
  id: 'refresh',
  tag,
  summary: 'Get a new access token for the refresh cookie, which is replaced',
  method: 'POST',
  path: '/api/auth/refresh',
  access: 'public',
  response: session,
});

export const logout = endpoint({
  id: 'logout',
  tag,
  summary: 'End the session of the refresh cookie',
  method: 'POST',
  path: '/api/auth/logout',
  access: 'public',
});

export const getMe = endpoint({
  id: 'getMe',
  tag,
  summary: 'The signed-in user with its permissions',
  method: 'GET',
  path: '/api/auth/me',
  access: 'signed-in',
  response: me,
});

export const updateMe = endpoint({
  id: 'updateMe',
  tag,
  summary: 'Change your own name',
  method: 'PATCH',
  path: '/api/auth/me',
  access: 'signed-in',
  body: z.strictObject({ name }).meta({ id: 'MePatch' }),
  response: me,
});

export const changePassword = endpoint({
  id: 'changePassword',
  tag,
  summary: 'Change your own password; all other sessions end',
  method: 'POST',
  path: '/api/auth/password',
  access: 'signed-in',
  body: z
    .strictObject({ currentPassword: z.string().min(1).max(200), newPassword: password })
    .meta({ id: 'PasswordChange' }),
});
