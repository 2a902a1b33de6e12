import { ALIAS_TARGETS_MAX, rest } from '@tollgate/contracts';
import { z } from 'zod';

import { objectName, pick, reference } from './fields';
import type { Kind } from './kind';
import {
  normalRetirement,
  retirementBody,
  retirementRead,
  retirementReference,
  retirementSpec,
  utc,
} from './retirement';

const { name, targets: _targets, retirement: _end, ...settings } = rest.modelAliasCreate.shape;

const spec = z.strictObject({
  ...settings,
  targets: z
    .array(
      z.strictObject({
        model: objectName.meta({ description: 'The name of the model.' }),
        effectiveFrom: rest.effectiveFrom,
      }),
    )
    .min(1, 'at least one target')
    .max(ALIAS_TARGETS_MAX)
    .refine(rest.distinctBeginnings, 'two targets begin at the same instant'),
  retirement: retirementSpec.default(null),
});

type Targets = z.output<typeof spec>['targets'];

/** Ascending by instant, as the installation keeps them. */
function ordered(targets: Targets): Targets {
  const begin = (instant: string | null): number => (instant === null ? -1 : Date.parse(instant));
  return targets
    .map(({ model, effectiveFrom }) => ({ model, effectiveFrom: utc(effectiveFrom) }))
    .toSorted((a, b) => begin(a.effectiveFrom) - begin(b.effectiveFrom));
}

export const modelAliases: Kind<rest.ModelAlias> = {
  kind: 'ModelAlias',
  level: 'organisation',
  name,
  repeats: false,
  spec,
  idParameter: 'modelAliasId',
  operations: () => ({
    create: rest.createModelAlias,
    get: rest.getModelAlias,
    update: rest.updateModelAlias,
    remove: rest.deleteModelAlias,
  }),
  list: (api, { organisation }) =>
    api.all(
      rest.listModelAliases,
      { organisationId: organisation?.id ?? '' },
      { sort: 'createdAt' },
    ),
  idOf: (row) => row.id,
  changedAt: (row) => row.updatedAt,
  read: (row, names) => {
    const { replacementModelId } = row.retirement ?? {};
    const replacement = replacementModelId && names.of('Model', replacementModelId)?.name;
    return {
      name: row.name,
      spec: {
        ...pick(row, Object.keys(settings)),
        // Of a model that is gone only past targets are left.
        targets: row.targets.flatMap(({ modelId, effectiveFrom }) => {
          const model = names.of('Model', modelId)?.name;
          return model === undefined ? [] : [{ model, effectiveFrom }];
        }),
        retirement: retirementRead(row.retirement, replacement ?? undefined),
      },
    };
  },
  normal: (given) => {
    const { targets, retirement, ...fields } = spec.parse(given);
    return { ...fields, targets: ordered(targets), retirement: normalRetirement(retirement) };
  },
  references: (given) => {
    const { targets, retirement } = spec.parse(given);
    return [
      ...targets.flatMap(({ model }, index) =>
        reference('Model', model, ['targets', index, 'model']),
      ),
      ...retirementReference(retirement),
    ];
  },
  body: (given, ids, aliasName) => {
    const { targets, retirement, ...fields } = spec.parse(given);
    return {
      name: aliasName,
      ...fields,
      targets: targets.map(({ model, effectiveFrom }) => ({
        modelId: ids.of('Model', model),
        effectiveFrom,
      })),
      retirement: retirementBody(retirement, ids),
    };
  },
};
