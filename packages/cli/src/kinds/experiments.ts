import { EXPERIMENT_ARMS_MAX, formatUsd, parseUsd, rest } from '@tollgate/contracts';
import { z } from 'zod';

import { objectName, pick, reference } from './fields';
import type { Kind } from './kind';
import { utc } from './retirement';

const { modelId: _modelId, ...sampled } = rest.shadowSettings.shape;
const { name, arms: _arms, shadow: _shadow, ...settings } = rest.experimentCreate.shape;

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
  shadow: z
    .strictObject({
      model: objectName.meta({ description: 'The name of the model.' }),
      ...sampled,
    })
    .nullable()
    .default(null),
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
      shadow: shadowOf(row, names),
    },
  }),
  normal: (given) => {
    const { startsAt, endsAt, shadow, ...fields } = spec.parse(given);
    const dates = { startsAt: utc(startsAt), endsAt: utc(endsAt) };
    return {
      ...fields,
      ...dates,
      shadow: shadow && { ...shadow, dailyUsd: formatUsd(parseUsd(shadow.dailyUsd)) },
    };
  },
  references: (given) => {
    const { arms, shadow } = spec.parse(given);
    return [
      ...arms.flatMap(({ model }, index) => reference('Model', model, ['arms', index, 'model'])),
      ...(shadow === null ? [] : reference('Model', shadow.model, ['shadow', 'model'])),
    ];
  },
  body: (given, ids, experimentName) => {
    const { arms, shadow, ...fields } = spec.parse(given);
    return {
      name: experimentName,
      ...fields,
      arms: arms.map(({ model, ...arm }) => ({ ...arm, modelId: ids.of('Model', model) })),
      shadow: shadow && {
        modelId: ids.of('Model', shadow.model),
        samplePercent: shadow.samplePercent,
        dailyUsd: shadow.dailyUsd,
      },
    };
  },
};

function shadowOf(
  { shadow }: rest.Experiment,
  names: Parameters<Kind<rest.Experiment>['read']>[1],
) {
  const model = shadow === null ? undefined : names.of('Model', shadow.modelId)?.name;
  if (shadow === null || model === undefined) return null;
  return { model, samplePercent: shadow.samplePercent, dailyUsd: shadow.dailyUsd };
}
