import { rest } from '@tollgate/contracts';
import { z } from 'zod';

import { objectName, pick, reference } from './fields';
import type { Kind } from './kind';

const { name, candidates, ...settings } = rest.routingPolicyCreate.shape;
const { modelId: _id, ...candidateFields } = candidates.element.shape;

const spec = z.strictObject({
  ...settings,
  candidates: z
    .array(z.strictObject({ model: objectName, ...candidateFields }))
    .min(1)
    .max(rest.ROUTING_CANDIDATES_MAX)
    .refine(
      (list) => new Set(list.map(({ model }) => model)).size === list.length,
      'each model once',
    ),
});

export const routingPolicies: Kind<rest.RoutingPolicy> = {
  kind: 'RoutingPolicy',
  level: 'organisation',
  name,
  repeats: false,
  spec,
  idParameter: 'routingPolicyId',
  sets: ['failoverTriggers'],
  operations: () => ({
    create: rest.createRoutingPolicy,
    get: rest.getRoutingPolicy,
    update: rest.updateRoutingPolicy,
    remove: rest.deleteRoutingPolicy,
  }),
  list: (api, { organisation }) =>
    api.all(
      rest.listRoutingPolicies,
      { organisationId: organisation?.id ?? '' },
      { sort: 'createdAt' },
    ),
  idOf: (row) => row.id,
  changedAt: (row) => row.updatedAt,
  read: (row, names) => ({
    name: row.name,
    spec: {
      ...pick(row, Object.keys(settings)),
      candidates: row.candidates.flatMap(({ modelId, ...fields }) => {
        const model = names.of('Model', modelId)?.name;
        return model === undefined ? [] : [{ model, ...fields }];
      }),
    },
  }),
  normal: (given) => {
    const { strategy, candidates: list, ...fields } = spec.parse(given);
    return {
      ...fields,
      strategy: strategy === 'next_candidate' ? 'failover' : strategy,
      candidates: list.map((one, index) => ({ ...one, priority: one.priority ?? index + 1 })),
    };
  },
  references: (given) =>
    spec
      .parse(given)
      .candidates.flatMap(({ model }, index) =>
        reference('Model', model, ['candidates', index, 'model']),
      ),
  body: (given, ids, policyName) => {
    const { candidates: list, ...fields } = spec.parse(given);
    return {
      name: policyName,
      ...fields,
      candidates: list.map(({ model, ...one }) => ({ modelId: ids.of('Model', model), ...one })),
    };
  },
};
