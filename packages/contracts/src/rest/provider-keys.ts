import { z } from 'zod';

import { IDENTITY_CHARACTERS, isIdentityDocument } from '../clouds';
import { endpoint } from './endpoint';
import { id, instant, listQuery, name, page, patchOf, search } from './fields';

/** A provider's keys at its upstream: sealed on input, shown as previews only. */

/**
 * ACTIVE: used, in proportion to its weight. DRAINING: finishes requests that were decided before;
 * no new ones. DISABLED: not used.
 */
export const PROVIDER_KEY_STATUSES = ['ACTIVE', 'DRAINING', 'DISABLED'] as const;
export type ProviderKeyStatus = (typeof PROVIDER_KEY_STATUSES)[number];

/** The most keys that one provider has. */
export const MAX_PROVIDER_KEYS = 20;

export const providerKey = z
  .object({
    id,
    name: z.string(),
    preview: z
      .string()
      .meta({ description: 'The last characters of the key. The key itself is never returned.' }),
    weight: z
      .int()
      .meta({ description: "Share of requests, relative to the provider's other keys." }),
    status: z.enum(PROVIDER_KEY_STATUSES),
    statusSince: instant,
    createdAt: instant,
  })
  .meta({ id: 'ProviderKey' });
export type ProviderKey = z.output<typeof providerKey>;

/** A key as it is sent to an upstream. */
export const PLAIN_KEY = /^[\x21-\x7e]{1,2000}$/;

/** A secret for an upstream, on input. */
export const upstreamSecret = z
  .string()
  .min(1)
  .max(2000)
  .regex(/^[\x21-\x7e]+$/, 'printable ASCII without spaces');

/** The secret of a provider: its key, or an identity at a cloud as a JSON document. */
export const providerSecret = z
  .string()
  .trim()
  .min(1)
  .max(IDENTITY_CHARACTERS)
  .refine(
    (secret) => isIdentityDocument(secret) || PLAIN_KEY.test(secret),
    'printable ASCII without spaces, at most 2000 characters; only a JSON document may be longer',
  );

const weight = z.int().min(1).max(1000);

export const providerKeyCreate = z
  .strictObject({
    name: name.default('default'),
    apiKey: providerSecret.meta({
      description:
        'The key; for PROVIDER_F, PROVIDER_G and PROVIDER_H also an identity as a JSON document.',
    }),
    weight: weight.default(1),
  })
  .meta({ id: 'ProviderKeyCreate' });
export type ProviderKeyCreate = z.output<typeof providerKeyCreate>;

export const providerKeyPatch = patchOf({
  name,
  weight,
  status: z.enum(PROVIDER_KEY_STATUSES),
}).meta({ id: 'ProviderKeyPatch' });
export type ProviderKeyPatch = z.output<typeof providerKeyPatch>;

export const providerKeyRotate = z
  .strictObject({
    apiKey: providerSecret.meta({ description: 'The new key.' }),
    name: name.optional().meta({ description: 'Absent: the name of the replaced key.' }),
    weight: weight.optional().meta({ description: 'Absent: the weight of the replaced key.' }),
  })
  .meta({ id: 'ProviderKeyRotate' });

const tag = 'Providers';
const keysPath = '/api/organisations/:organisationId/providers/:providerId/keys';
const keyPath = '/api/organisations/:organisationId/providers/:providerId/keys/:keyId';

export const listProviderKeys = endpoint({
  id: 'listProviderKeys',
  tag,
  summary: 'Keys of a provider, as previews',
  method: 'GET',
  path: keysPath,
  access: 'providers.read',
  query: listQuery(['createdAt', 'name'], {
    search,
    status: z.enum(PROVIDER_KEY_STATUSES).optional(),
  }),
  response: page(providerKey),
});

export const addProviderKey = endpoint({
  id: 'addProviderKey',
  tag,
  summary: 'Add a key to a provider',
  method: 'POST',
  path: keysPath,
  access: 'providers.write',
  body: providerKeyCreate,
  response: providerKey,
  status: 201,
});

export const getProviderKey = endpoint({
  id: 'getProviderKey',
  tag,
  summary: 'One key of a provider, as a preview',
  method: 'GET',
  path: keyPath,
  access: 'providers.read',
  response: providerKey,
  etag: true,
});

export const updateProviderKey = endpoint({
  id: 'updateProviderKey',
  tag,
  summary: 'Change the name, weight or status of a provider key',
  method: 'PATCH',
  path: keyPath,
  access: 'providers.write',
  body: providerKeyPatch,
  response: providerKey,
  etag: true,
});

export const rotateProviderKey = endpoint({
  id: 'rotateProviderKey',
  tag,
  summary:
    "Add a new key with this key's weight and drain this one, in one step; returns the new key",
  method: 'POST',
  path: `${keyPath}/rotate`,
  access: 'providers.write',
  body: providerKeyRotate,
  response: providerKey,
  status: 201,
});

export const deleteProviderKey = endpoint({
  id: 'deleteProviderKey',
  tag,
  summary: 'Delete a provider key; no request uses it any more',
  method: 'DELETE',
  path: keyPath,
  access: 'providers.write',
});
