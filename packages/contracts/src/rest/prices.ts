import { z } from 'zod';

import { endpoint } from './endpoint';
import { givenInstant, id, instant, listQuery, page, usdAmount } from './fields';
import { modelPath, modelSettings, modelsPath } from './models';
import { price, priceCreate, priceList, priceListCreate } from './price-amounts';
import { RERATE_MAX_DAYS } from './rerates';

/** Prices of models over time: their history, lists of them, and what to do about a wrong one. */

export const PRICE_STATES = ['PAST', 'CURRENT', 'SCHEDULED'] as const;

export const pricePeriod = z
  .object({
    ...price.shape,
    effectiveUntil: instant.nullable().meta({ description: 'Null: until a later price begins.' }),
    state: z.enum(PRICE_STATES),
  })
  .meta({ id: 'PricePeriod' });
export type PricePeriod = z.output<typeof pricePeriod>;

export const correctionAsk = z
  .strictObject({
    from: givenInstant.meta({ description: 'Requests authorised at this instant or later.' }),
    to: givenInstant
      .optional()
      .meta({ description: 'Requests authorised before this instant; absent: until now.' }),
    price: priceListCreate.meta({ description: 'The correct price.' }),
  })
  .meta({ id: 'PriceCorrectionAsk' });

export const correctionOffer = z
  .object({
    requests: z.int().meta({
      description:
        'Number of requests that were booked in the hours of the period, from the rollups.',
    }),
    chargedUsd: usdAmount.meta({ description: 'The charge of these requests, in US dollars.' }),
    rerate: z
      .object({ modelId: id, from: instant, to: instant, price: priceList })
      .meta({ description: 'The body for `createRerate`, without its reason.' }),
    mayApply: z.boolean().meta({ description: 'Whether your role may re-rate.' }),
  })
  .meta({ id: 'PriceCorrectionOffer' });
export type CorrectionOffer = z.output<typeof correctionOffer>;

export const PRICE_IMPORT_FORMATS = ['csv', 'json'] as const;
/** The most rows of one price list. */
export const PRICE_IMPORT_MAX_ROWS = 5_000;
/** The most prices that one price list gives. */
export const PRICE_IMPORT_MAX_PRICES = 1_000;
export const PRICE_IMPORT_MAX_CHARACTERS = 700_000;
/** The most faults that are told of one price list. */
export const PRICE_IMPORT_MAX_FAULTS = 200;

const dryRun = z
  .boolean()
  .default(true)
  .meta({ description: 'Report what would change, and change nothing.' });

export const priceImport = z
  .discriminatedUnion('format', [
    z.strictObject({
      format: z.enum(PRICE_IMPORT_FORMATS),
      content: z.string().min(1).max(PRICE_IMPORT_MAX_CHARACTERS).meta({
        description:
          'CSV with a header line, or a JSON list of objects {model, effectiveFrom?, steps, perRequestUsd?, perUnitUsd?, tierPercent?}.',
      }),
      dryRun,
    }),
    z
      .strictObject({
        format: z.literal('known_models'),
        models: z
          .array(modelSettings.name)
          .min(1)
          .max(PRICE_IMPORT_MAX_PRICES)
          .optional()
          .meta({ description: 'Names of models; absent: all that the list knows.' }),
        dryRun,
      })
      .meta({ description: 'The prices of the list of known models, from now on.' }),
  ])
  .meta({ id: 'PriceImport' });

export const priceImportFault = z
  .object({
    line: z.int().nullable().meta({ description: 'Line of the text, from 1; null: unknown.' }),
    column: z.string().nullable().meta({
      description: 'The column of a CSV, or the path in a JSON list, such as `[3].steps[0].input`.',
    }),
    message: z.string(),
  })
  .meta({ id: 'PriceImportFault' });
export type PriceImportFault = z.output<typeof priceImportFault>;

export const PRICE_IMPORT_ACTIONS = ['ADD', 'UNCHANGED'] as const;

const priceImportRow = z.object({
  line: z.int().nullable(),
  modelId: id,
  model: z.string(),
  action: z.enum(PRICE_IMPORT_ACTIONS),
  effectiveFrom: instant,
  before: priceList.nullable().meta({ description: 'The price at that instant without the list.' }),
  after: priceList,
});
export type PriceImportRow = z.output<typeof priceImportRow>;

export const priceImported = z
  .object({
    dryRun: z.boolean(),
    applied: z
      .boolean()
      .meta({ description: 'Whether the list was applied. A list with a fault changes nothing.' }),
    added: z.int(),
    unchanged: z.int(),
    faults: z.array(priceImportFault),
    rows: z.array(priceImportRow),
  })
  .meta({ id: 'PriceImported' });
export type PriceImported = z.output<typeof priceImported>;

const tag = 'Models';
const pricesPath = `${modelPath}/prices` as const;

export const listPrices = endpoint({
  id: 'listPrices',
  tag,
  summary: 'Prices of a model: past, current and future',
  method: 'GET',
  path: pricesPath,
  access: 'models.read',
  query: listQuery(['effectiveFrom'], { state: z.enum(PRICE_STATES).optional() }),
  response: page(pricePeriod),
});

export const addPrice = endpoint({
  id: 'addPrice',
  tag,
  summary: 'Add a price that begins now or later; earlier records keep their price',
  method: 'POST',
  path: pricesPath,
  access: 'models.write',
  body: priceCreate,
  response: price,
  status: 201,
});

export const deletePrice = endpoint({
  id: 'deletePrice',
  tag,
  summary: 'Delete a price that has not begun yet',
  method: 'DELETE',
  path: `${pricesPath}/:priceId`,
  access: 'models.write',
});

export const offerCorrection = endpoint({
  id: 'offerCorrection',
  tag,
  summary: `Preview the correction of a past price: the re-rating to request, for at most ${RERATE_MAX_DAYS} days`,
  method: 'POST',
  path: `${pricesPath}/corrections`,
  access: 'models.write',
  body: correctionAsk,
  response: correctionOffer,
});

export const importPrices = endpoint({
  id: 'importPrices',
  tag,
  summary:
    'Import prices of many models, of a list or of the known models; if one is faulty, nothing is imported',
  method: 'POST',
  path: `${modelsPath}/prices/import`,
  access: 'models.write',
  body: priceImport,
  response: priceImported,
  idempotent: true,
});
