import { rest } from '@tollgate/contracts';
import { z } from 'zod';

import { eachOf } from '../api/management-api';
import { objectName, pick, reference } from './fields';
import type { Kind } from './kind';
import { amountsOf, normalPrice, prices, wantedPrices, type ModelRow } from './prices';

const { name, providerId: _id, prices: _prices, ...settings } = rest.modelCreate.shape;

const spec = z.strictObject({
  provider: objectName.meta({ description: 'The name of the provider.' }),
  ...settings,
  prices: wantedPrices.default([]),
});

export const models: Kind<ModelRow> = {
  kind: 'Model',
  level: 'organisation',
  name,
  repeats: false,
  spec,
  idParameter: 'modelId',
  sets: ['capabilities', 'allowedRegions'],
  renamed: { provider: 'providerId' },
  parts: [prices],
  operations: () => ({
    create: rest.createModel,
    get: rest.getModel,
    update: rest.updateModel,
    remove: rest.deleteModel,
  }),
  list: async (api, { organisation }) => {
    const params = { organisationId: organisation?.id ?? '' };
    const rows = await api.all(rest.listModels, params, { sort: 'createdAt' });
    return eachOf(rows, 4, async (model) => ({
      model,
      scheduled: await api.all(
        rest.listPrices,
        { ...params, modelId: model.id },
        { state: 'SCHEDULED', sort: 'effectiveFrom' },
      ),
    }));
  },
  idOf: ({ model }) => model.id,
  changedAt: ({ model }) => model.updatedAt,
  read: ({ model, scheduled }, names) => {
    const { currentPrice } = model;
    return {
      name: model.name,
      spec: {
        provider: names.of('Provider', model.providerId)?.name,
        ...pick(model, Object.keys(settings)),
        prices: [
          ...(currentPrice === null ? [] : [normalPrice(amountsOf(currentPrice))]),
          ...scheduled.map((one) => ({
            effectiveFrom: one.effectiveFrom,
            ...normalPrice(amountsOf(one)),
          })),
        ],
      },
    };
  },
  normal: (given) => {
    const model = spec.parse(given);
    return {
      ...model,
      prices: model.prices.map(({ effectiveFrom, ...amounts }) => ({
        ...(effectiveFrom === undefined ? {} : { effectiveFrom }),
        ...normalPrice(amounts),
      })),
    };
  },
  references: (given) => reference('Provider', spec.parse(given).provider, ['provider']),
  body: (given, ids, modelName) => {
    const { provider, prices: _parts, ...fields } = spec.parse(given);
    return { name: modelName, providerId: ids.of('Provider', provider), ...fields };
  },
};
