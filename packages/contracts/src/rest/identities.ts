import { z } from 'zod';

import { endpoint } from './endpoint';
import { id, instant, page } from './fields';

/** A user's accounts at identity providers, by which single sign-on finds the user. */

export const userIdentity = z
  .object({
    id,
    issuer: z.string().meta({ description: 'The identity provider.' }),
    subject: z.string().meta({ description: "The user's id at the identity provider." }),
    removable: z.boolean().meta({
      description:
        'Whether the identity can be unlinked; false: it is the only way to sign in to the account.',
    }),
    createdAt: instant,
  })
  .meta({ id: 'UserIdentity' });
export type UserIdentity = z.output<typeof userIdentity>;

const tag = 'Identities';
const ownPath = '/api/auth/identities';
const userPath = '/api/organisations/:organisationId/users/:userId/identities';
const platformPath = '/api/admin/users/:userId/identities';
// One identity per provider, and one provider at a time: a list is one page.
const identities = page(userIdentity);

export const listOwnIdentities = endpoint({
  id: 'listOwnIdentities',
  tag,
  summary: 'Your own identities for single sign-on',
  method: 'GET',
  path: ownPath,
  access: 'signed-in',
  response: identities,
});

export const unlinkOwnIdentity = endpoint({
  id: 'unlinkOwnIdentity',
  tag,
  summary: 'Unlink one of your identities; your other single sign-on sessions end',
  method: 'DELETE',
  path: `${ownPath}/:identityId`,
  access: 'signed-in',
});

export const listUserIdentities = endpoint({
  id: 'listUserIdentities',
  tag,
  summary: 'Single sign-on identities of a user of the organisation',
  method: 'GET',
  path: userPath,
  access: 'identities.read',
  response: identities,
});

export const unlinkUserIdentity = endpoint({
  id: 'unlinkUserIdentity',
  tag,
  summary: "Unlink an identity of a user; the user's single sign-on sessions end",
  method: 'DELETE',
  path: `${userPath}/:identityId`,
  access: 'identities.write',
});

export const listPlatformUserIdentities = endpoint({
  id: 'listPlatformUserIdentities',
  tag,
  summary: 'Single sign-on identities of a user of any organisation',
  method: 'GET',
  path: platformPath,
  access: 'platform.users.read',
  response: identities,
});

export const unlinkPlatformUserIdentity = endpoint({
  id: 'unlinkPlatformUserIdentity',
  tag,
  summary: 'Unlink an identity of a user of any organisation',
  method: 'DELETE',
  path: `${platformPath}/:identityId`,
  access: 'platform.users.write',
});
