import { z } from 'zod';

import { ROLES } from '../enums';
import { endpoint } from './endpoint';
import {
  email,
  id,
  instant,
  listQuery,
  name,
  page,
  password,
  patchOf,
  search,
  spentThisMonth,
} from './fields';

export const USER_STATUSES = ['ACTIVE', 'DISABLED'] as const;
export type UserStatus = (typeof USER_STATUSES)[number];

export const user = z
  .object({
    id,
    organisationId: id.nullable().meta({ description: 'Null for a platform user.' }),
    email: z.string(),
    name: z.string(),
    role: z.enum(ROLES),
    status: z.enum(USER_STATUSES),
    lastLoginAt: instant.nullable(),
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'User' });
export type User = z.output<typeof user>;

export const ORGANISATION_ROLES = ['ORG_ADMIN', 'MANAGER', 'USER'] as const;
export const organisationRole = z.enum(ORGANISATION_ROLES);

export const userCreate = z
  .strictObject({ email, name, password, role: organisationRole.default('USER') })
  .meta({ id: 'UserCreate' });
export type UserCreate = z.output<typeof userCreate>;

export const userPatch = patchOf({ name, role: organisationRole }).meta({ id: 'UserPatch' });
export type UserPatch = z.output<typeof userPatch>;

export const userPassword = z.strictObject({ password }).meta({ id: 'UserPassword' });

export const platformUserCreate = z
  .strictObject({
    email,
    name,
    password,
    role: z.enum(ROLES),
    organisationId: id.nullable().default(null),
  })
  .refine((value) => (value.role === 'SUPER_ADMIN') === (value.organisationId === null), {
    path: ['organisationId'],
    message: 'a SUPER_ADMIN has no organisation, every other role has one',
  })
  .meta({ id: 'PlatformUserCreate' });
export type PlatformUserCreate = z.output<typeof platformUserCreate>;

export const resetLink = z
  .object({
    link: z.string().nullable().meta({
      description: 'Link for the user; null: it was sent by mail.',
    }),
    expiresAt: instant,
  })
  .meta({ id: 'ResetLink' });
export type ResetLink = z.output<typeof resetLink>;

const filters = {
  search,
  role: z.enum(ROLES).optional(),
  status: z.enum(USER_STATUSES).optional(),
};

const tag = 'Users';
const usersPath = '/api/organisations/:organisationId/users';
const userPath = '/api/organisations/:organisationId/users/:userId';
const platformPath = '/api/admin/users';
const platformUserPath = '/api/admin/users/:userId';

export const listedUser = user.extend({ spentUsd: spentThisMonth }).meta({ id: 'ListedUser' });
export type ListedUser = z.output<typeof listedUser>;

export const listUsers = endpoint({
  id: 'listUsers',
  tag,
  summary: 'Users of the organisation; users see only themselves',
  method: 'GET',
  path: usersPath,
  access: 'users.read',
  query: listQuery(['createdAt', 'name', 'email', 'spentUsd'], {
    ...filters,
    teamId: id.optional(),
  }),
  response: page(listedUser),
});

export const createUser = endpoint({
  id: 'createUser',
  tag,
  summary: 'Create a user with an initial password',
  method: 'POST',
  path: usersPath,
  access: 'users.write',
  body: userCreate,
  response: user,
  status: 201,
});

export const getUser = endpoint({
  id: 'getUser',
  tag,
  summary: 'One user',
  method: 'GET',
  path: userPath,
  access: 'users.read',
  response: user,
  etag: true,
});

export const updateUser = endpoint({
  id: 'updateUser',
  tag,
  summary: "Change a user's name or role",
  method: 'PATCH',
  path: userPath,
  access: 'users.write',
  body: userPatch,
  response: user,
  etag: true,
});

export const setUserPassword = endpoint({
  id: 'setUserPassword',
  tag,
  summary: 'Set a new password for a user; all sessions of the user end',
  method: 'POST',
  path: `${userPath}/password`,
  access: 'users.write',
  body: userPassword,
});

export const createUserResetLink = endpoint({
  id: 'createUserResetLink',
  tag,
  summary: 'Create a link with which the user sets a new password; sent by mail, or shown once',
  method: 'POST',
  path: `${userPath}/password-reset`,
  access: 'users.write',
  response: resetLink,
  secret: true,
});

export const disableUser = endpoint({
  id: 'disableUser',
  tag,
  summary: "Disable a user: the user's sessions end and keys are refused",
  method: 'POST',
  path: `${userPath}/disable`,
  access: 'users.write',
  response: user,
  etag: true,
});

export const enableUser = endpoint({
  id: 'enableUser',
  tag,
  summary: 'Enable a disabled user',
  method: 'POST',
  path: `${userPath}/enable`,
  access: 'users.write',
  response: user,
  etag: true,
});

export const listPlatformUsers = endpoint({
  id: 'listPlatformUsers',
  tag,
  summary: 'Users of all organisations and of the platform',
  method: 'GET',
  path: platformPath,
  access: 'platform.users.read',
  query: listQuery(['createdAt', 'name', 'email'], { ...filters, organisationId: id.optional() }),
  response: page(user),
});

export const createPlatformUser = endpoint({
  id: 'createPlatformUser',
  tag,
  summary: 'Create a user of any organisation, or of the platform',
  method: 'POST',
  path: platformPath,
  access: 'platform.users.write',
  body: platformUserCreate,
  response: user,
  status: 201,
});

export const getPlatformUser = endpoint({
  id: 'getPlatformUser',
  tag,
  summary: 'One user of any organisation',
  method: 'GET',
  path: platformUserPath,
  access: 'platform.users.read',
  response: user,
  etag: true,
});

export const updatePlatformUser = endpoint({
  id: 'updatePlatformUser',
  tag,
  summary: 'Change the name or role of a user of any organisation',
  method: 'PATCH',
  path: platformUserPath,
  access: 'platform.users.write',
  body: userPatch,
  response: user,
  etag: true,
});

export const setPlatformUserPassword = endpoint({
  id: 'setPlatformUserPassword',
  tag,
  summary: 'Set a new password for a user; all sessions of the user end',
  method: 'POST',
  path: `${platformUserPath}/password`,
  access: 'platform.users.write',
  body: userPassword,
});

export const createPlatformUserResetLink = endpoint({
  id: 'createPlatformUserResetLink',
  tag,
  summary: 'Create a link with which the user sets a new password; sent by mail, or shown once',
  method: 'POST',
  path: `${platformUserPath}/password-reset`,
  access: 'platform.users.write',
  response: resetLink,
  secret: true,
});

export const disablePlatformUser = endpoint({
  id: 'disablePlatformUser',
  tag,
  summary: 'Disable a user of any organisation',
  method: 'POST',
  path: `${platformUserPath}/disable`,
  access: 'platform.users.write',
  response: user,
  etag: true,
});

export const enablePlatformUser = endpoint({
  id: 'enablePlatformUser',
  tag,
  summary: 'Enable a disabled user of any organisation',
  method: 'POST',
  path: `${platformUserPath}/enable`,
  access: 'platform.users.write',
  response: user,
  etag: true,
});
