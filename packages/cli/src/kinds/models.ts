import { rest } from '@tollgate/contracts';
import { z } from 'zod';

import { eachOf } from '../api/management-api';
import { objectName, pick, reference } from './fields';
import type { Kind } from './kind';
import { amountsOf, normalPrice, prices, wantedPrices, type ModelRow } from './prices';
import {
  modelRetirement,
  normalRetirement,
  retirementRead,
  retirementReference,
  retirementSpec,
} from './retirement';

const {
  name,
  providerId: _id,
  prices: _prices,
  retirement: _end,
  ...settings
} = rest.modelCreate.shape;

const spec = z.strictObject({
  provider: objectName.meta({ description: 'The name of the provider.' }),
  ...settings,
  prices: wantedPrices.default([]),
  retirement: retirementSpec.default(null),
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
  parts: [prices, modelRetirement],
  operations: () => ({
    create: rest.createModel,
    get: rest.getModel,
    update: rest.updateModel,
    remove: rest.deleteModel,
  }),
  list: async (api, { organisation }) => {
    const params = { organisationId: organisation?.id ?? '' };
    const rows = await api.all(rest.listModels, params, { sort: 'createdAt' });
    const names = new Map(rows.map((model) => [model.id, model.name]));
    return eachOf(rows, 4, async (model) => ({
      model,
      replacement: names.get(model.retirement?.replacementModelId ?? ''),
      scheduled: await api.all(
        rest.listPrices,
        { ...params, modelId: model.id },
        { state: 'SCHEDULED', sort: 'effectiveFrom' },
      ),
    }));
  },
  idOf: ({ model }) => model.id,
  changedAt: ({ model }) => model.updatedAt,
  read: ({ model, replacement, scheduled }, names) => {
    const { currentPrice } = model;
    return {
      name: model.name,
      spec: {
        provider: names.of('Provider', model.providerId)?.name,
        ...pick(model, Object.keys(settings)),
        retirement: retirementRead(model.retirement, replacement),
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
      retirement: normalRetirement(model.retirement),
      prices: model.prices.map(({ effectiveFrom, ...amounts }) => ({
        ...(effectiveFrom === undefined ? {} : { effectiveFrom }),
        ...normalPrice(amounts),
      })),
    };
  },
  references: (given) => {
    const { provider, retirement } = spec.parse(given);
    return [...reference('Provider', provider, ['provider']), ...retirementReference(retirement)];
  },
  body: (given, ids, modelName) => {
    const { provider, prices: _prices, retirement: _retirement, ...fields } = spec.parse(given);
    return { name: modelName, providerId: ids.of('Provider', provider), ...fields };
  },
};
