import { rest } from '@tollgate/contracts';
import { z } from 'zod';

import { pick, slug, without } from './fields';
import type { Kind, Part } from './kind';

const { name: _name, slug: _slug, ...settings } = rest.organisationCreate.shape;

const spec = z.strictObject({
  name: rest.name,
  ...settings,
  status: z.enum(['ACTIVE', 'SUSPENDED']).default('ACTIVE'),
});

const status: Part<rest.Organisation> = {
  field: 'status',
  changes: (wanted, row) => {
    const { status: after } = spec.pick({ status: true }).parse(pick(wanted, ['status']));
    const before = row?.status ?? 'ACTIVE';
    if (after === before) return [];
    const endpoint = after === 'ACTIVE' ? rest.resumeOrganisation : rest.suspendOrganisation;
    return [
      {
        path: 'status',
        before,
        after,
        last: after === 'SUSPENDED',
        run: async (api, params) => void (await api.ask(endpoint, { params })),
      },
    ];
  },
};

/** An organisation and its settings. Its name in documents is its slug, which never changes. */
export const organisations: Kind<rest.Organisation> = {
  kind: 'Organisation',
  level: 'platform',
  name: slug,
  repeats: false,
  spec,
  idParameter: 'organisationId',
  sets: ['allowedRegions'],
  parts: [status],
  operations: ({ platform }) =>
    platform
      ? {
          create: rest.createOrganisation,
          get: rest.getOrganisation,
          update: rest.updateOrganisation,
        }
      : {
          create: rest.createOrganisation,
          get: rest.getOwnOrganisation,
          update: rest.updateOwnOrganisation,
        },
  list: async (api, { platform, organisation }) => {
    if (platform) return api.all(rest.listOrganisations, {}, { sort: 'slug' });
    const params = { organisationId: organisation?.id ?? '' };
    return [await api.call(rest.getOwnOrganisation, { params })];
  },
  idOf: (row) => row.id,
  changedAt: (row) => row.updatedAt,
  read: (row) => ({ name: row.slug, spec: pick(row, Object.keys(spec.shape)) }),
  ended: (row) => (row.status === 'ARCHIVED' ? 'it is archived' : undefined),
  refusal: (row) =>
    row.status === 'ARCHIVED' ? 'it is archived, and nothing of it can be changed' : undefined,
  references: () => [],
  body: (given, _ids, name) => ({ slug: name, ...without(spec.parse(given), 'status') }),
};
