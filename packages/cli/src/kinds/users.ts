import { randomBytes } from 'node:crypto';
import { rest, ROLES } from '@tollgate/contracts';
import { z } from 'zod';

import { email, pick, secretReference } from './fields';
import type { Kind, Part } from './kind';

const spec = z.strictObject({
  name: rest.name,
  role: z.enum(ROLES).default('USER').meta({
    description: 'SUPER_ADMIN: a user of the platform, without an organisation.',
  }),
  status: z.enum(rest.USER_STATUSES).default('ACTIVE'),
  initialPassword: secretReference.optional().meta({
    description:
      'Used when the user is created, and never again. Absent: a random one that nobody knows; the user signs in by single sign-on or with a link for a new password.',
  }),
});

const status: Part<rest.User> = {
  field: 'status',
  changes: (wanted, row, { place }) => {
    const after = spec.shape.status.parse(wanted['status']);
    const before = row?.status ?? 'ACTIVE';
    if (after === before) return [];
    const [enable, disable] =
      place.organisation === null
        ? [rest.enablePlatformUser, rest.disablePlatformUser]
        : [rest.enableUser, rest.disableUser];
    const endpoint: rest.Endpoint = after === 'ACTIVE' ? enable : disable;
    return [
      {
        path: 'status',
        before,
        after,
        last: after === 'DISABLED',
        run: async (api, params) => void (await api.ask(endpoint, { params })),
      },
    ];
  },
};

/** A person, named by email address. Users are never deleted: `status: DISABLED` keeps them out. */
export const users: Kind<rest.User> = {
  kind: 'User',
  level: 'either',
  name: email,
  repeats: false,
  spec,
  idParameter: 'userId',
  createOnly: ['initialPassword'],
  parts: [status],
  operations: ({ organisation }) =>
    organisation === null
      ? {
          create: rest.createPlatformUser,
          get: rest.getPlatformUser,
          update: rest.updatePlatformUser,
        }
      : { create: rest.createUser, get: rest.getUser, update: rest.updateUser },
  list: async (api, { organisation }) => {
    if (organisation !== null) {
      const params = { organisationId: organisation.id };
      return api.all(rest.listUsers, params, { sort: 'createdAt' });
    }
    // Only these users belong to no organisation.
    return api.all(rest.listPlatformUsers, {}, { sort: 'createdAt', role: 'SUPER_ADMIN' });
  },
  idOf: (row) => row.id,
  changedAt: (row) => row.updatedAt,
  read: (row) => ({ name: row.email, spec: pick(row, ['name', 'role', 'status']) }),
  references: () => [],
  body: (given, _ids, name, resolve) => {
    const { name: person, role, initialPassword } = spec.parse(given);
    const password = initialPassword === undefined ? undefined : resolve(initialPassword);
    return {
      email: name,
      name: person,
      role,
      password: password ?? randomBytes(32).toString('base64url'),
    };
  },
};
