import { rest, SCREENING_LIMITS, SCREENING_SCOPES } from '@tollgate/contracts';
import { z } from 'zod';

import {
  pick,
  readWithSecret,
  scopeId,
  scopeNamed,
  scopeOf,
  scopeReference,
  secretReference,
  without,
} from './fields';
import type { Kind } from './kind';

const {
  identifier: policyName,
  attachedTo: _ids,
  ...policySettings
} = rest.screeningPolicyCreate.shape;

const policySpec = z.strictObject({
  ...policySettings,
  attachedTo: z
    .array(scopeOf(SCREENING_SCOPES))
    .max(SCREENING_LIMITS.attachments)
    .refine(
      (list) => new Set(list.map((one) => JSON.stringify(one))).size === list.length,
      'each once',
    )
    .default([]),
});

/** A screening policy, named by its identifier. Its rules name services, models and tags by name. */
export const screeningPolicies: Kind<rest.ScreeningPolicy> = {
  kind: 'ScreeningPolicy',
  level: 'organisation',
  name: policyName,
  repeats: false,
  spec: policySpec,
  idParameter: 'screeningPolicyId',
  sets: ['attachedTo'],
  operations: () => ({
    create: rest.createScreeningPolicy,
    get: rest.getScreeningPolicy,
    update: rest.updateScreeningPolicy,
    remove: rest.deleteScreeningPolicy,
  }),
  list: (api, { organisation }) =>
    api.all(
      rest.listScreeningPolicies,
      { organisationId: organisation?.id ?? '' },
      { sort: 'createdAt' },
    ),
  idOf: (row) => row.id,
  changedAt: (row) => row.updatedAt,
  read: (row, names) => ({
    name: row.identifier,
    spec: {
      ...pick(row, Object.keys(policySettings)),
      attachedTo: row.attachedTo.flatMap(
        ({ scopeType, scopeId: id }) => scopeNamed(scopeType, id, names) ?? [],
      ),
    },
  }),
  references: (given) =>
    policySpec
      .parse(given)
      .attachedTo.flatMap((one, index) => scopeReference(one, ['attachedTo', index])),
  body: (given, ids, identifier) => {
    const { attachedTo, ...fields } = policySpec.parse(given);
    return {
      identifier,
      ...fields,
      attachedTo: attachedTo.map((one) => ({ scopeType: one.type, scopeId: scopeId(one, ids) })),
    };
  },
};

const {
  identifier: serviceName,
  secret: _secret,
  ...serviceSettings
} = rest.screeningServiceCreate.shape;

const serviceSpec = z.strictObject({
  ...serviceSettings,
  secret: secretReference.nullable().optional(),
});

/** A service that screening rules and plugins ask, or the code of a plugin. */
export const screeningServices: Kind<rest.ScreeningService> = {
  kind: 'ScreeningService',
  level: 'organisation',
  name: serviceName,
  repeats: false,
  spec: serviceSpec,
  idParameter: 'screeningServiceId',
  secretField: 'secret',
  secretBoundTo: ['url', 'auth'],
  operations: () => ({
    create: rest.createScreeningService,
    get: rest.getScreeningService,
    update: rest.updateScreeningService,
    remove: rest.deleteScreeningService,
  }),
  list: (api, { organisation }) =>
    api.all(
      rest.listScreeningServices,
      { organisationId: organisation?.id ?? '' },
      { sort: 'createdAt' },
    ),
  idOf: (row) => row.id,
  changedAt: (row) => row.updatedAt,
  secretPreviewOf: (row) => row.secretPreview,
  read: (row) => readWithSecret(row, Object.keys(serviceSettings)),
  references: () => [],
  body: (given, _ids, identifier) => ({
    identifier,
    ...without(serviceSpec.parse(given), 'secret'),
  }),
};
