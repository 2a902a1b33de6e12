import { EXPERIMENT_ARMS_MAX, rest } from '@tollgate/contracts';
import { z } from 'zod';

import { objectName, pick, reference } from './fields';
import type { Kind } from './kind';
import { utc } from './retirement';

const { name, arms: _arms, ...settings } = rest.experimentCreate.shape;

const spec = z.strictObject({
  ...settings,
  arms: z
    .array(
      z.strictObject({
        name,
        model: objectName.meta({ description: 'The name of the model.' }),
        share: z.int().min(0).max(100).meta({ description: 'Of the conversations, in per cent.' }),
      }),
    )
    .min(1, 'at least one arm')
    .max(EXPERIMENT_ARMS_MAX)
    .refine(
      (arms) => arms.reduce((sum, { share }) => sum + share, 0) === 100,
      'the shares must add up to 100',
    ),
});

/** Named by their models; `model` of the experiment itself is a model or an alias. */
export const experiments: Kind<rest.Experiment> = {
  kind: 'Experiment',
  level: 'organisation',
  name,
  repeats: false,
  spec,
  idParameter: 'experimentId',
  operations: () => ({
    create: rest.createExperiment,
    get: rest.getExperiment,
    update: rest.updateExperiment,
    remove: rest.deleteExperiment,
  }),
  list: (api, { organisation }) =>
    api.all(
      rest.listExperiments,
      { organisationId: organisation?.id ?? '' },
      { sort: 'createdAt' },
    ),
  idOf: (row) => row.id,
  changedAt: (row) => row.updatedAt,
  read: (row, names) => ({
    name: row.name,
    spec: {
      ...pick(row, Object.keys(settings)),
      // Of an experiment that has ended a model may be gone.
      arms: row.arms.flatMap(({ modelId, ...arm }) => {
        const model = names.of('Model', modelId)?.name;
        return model === undefined ? [] : [{ ...arm, model }];
      }),
    },
  }),
  normal: (given) => {
    const { startsAt, endsAt, ...fields } = spec.parse(given);
    return { ...fields, startsAt: utc(startsAt), endsAt: utc(endsAt) };
  },
  references: (given) =>
    spec
      .parse(given)
      .arms.flatMap(({ model }, index) => reference('Model', model, ['arms', index, 'model'])),
  body: (given, ids, experimentName) => {
    const { arms, ...fields } = spec.parse(given);
    return {
      name: experimentName,
      ...fields,
      arms: arms.map(({ model, ...arm }) => ({ ...arm, modelId: ids.of('Model', model) })),
    };
  },
};
