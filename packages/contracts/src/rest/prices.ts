import { z } from 'zod';

import { endpoint } from './endpoint';
import { givenInstant, id, instant, listQuery, page, usdAmount } from './fields';
import { modelPath, modelsPath, price, priceCreate, priceList, priceListCreate } from './models';
import { RERATE_MAX_DAYS } from './rerates';

/** Prices of models over time: their history, lists of them, and what to do about a wrong one. */

export const PRICE_STATES = ['PAST', 'CURRENT', 'SCHEDULED'] as const;

export const pricePeriod = z
  .object({
    ...price.shape,
    effectiveUntil: instant.nullable().meta({ description: 'Null: until another price follows.' }),
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
    price: priceListCreate.meta({ description: 'What the price should have been.' }),
  })
  .meta({ id: 'PriceCorrectionAsk' });

export const correctionOffer = z
  .object({
    requests: z.int().meta({
      description: 'Requests booked in the hours of the period; counted from the rollups.',
    }),
    chargedUsd: usdAmount.meta({ description: 'What they have been charged.' }),
    rerate: z
      .object({ modelId: id, from: instant, to: instant, price: priceList })
      .meta({ description: 'The body for `createRerate`, to which a reason is added.' }),
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

export const priceImport = z
  .strictObject({
    format: z.enum(PRICE_IMPORT_FORMATS),
    content: z.string().min(1).max(PRICE_IMPORT_MAX_CHARACTERS).meta({
      description:
        'CSV with a header line, or a JSON list of objects {model, effectiveFrom?, steps, perRequestUsd?, perUnitUsd?}.',
    }),
    dryRun: z
      .boolean()
      .default(true)
      .meta({ description: 'Say what would change, change nothing.' }),
  })
  .meta({ id: 'PriceImport' });

export const priceImportFault = z
  .object({
    line: z.int().nullable().meta({ description: 'Of the text, from 1; null: not known.' }),
    column: z.string().nullable().meta({
      description: 'The column of a CSV; of a JSON list the path, such as `[3].steps[0].input`.',
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
  before: priceList
    .nullable()
    .meta({ description: 'What holds at that instant without the list.' }),
  after: priceList,
});
export type PriceImportRow = z.output<typeof priceImportRow>;

export const priceImported = z
  .object({
    dryRun: z.boolean(),
    applied: z.boolean().meta({ description: 'All of it or, where there is a fault, nothing.' }),
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
  summary: 'Prices of a model, past, present and to come',
  method: 'GET',
  path: pricesPath,
  access: 'models.read',
  query: listQuery(['effectiveFrom'], { state: z.enum(PRICE_STATES).optional() }),
  response: page(pricePeriod),
});

export const addPrice = endpoint({
  id: 'addPrice',
  tag,
  summary: 'Add a price that begins now or later; earlier records keep theirs',
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
  summary: 'Take back a price that has not begun yet',
  method: 'DELETE',
  path: `${pricesPath}/:priceId`,
  access: 'models.write',
});

export const offerCorrection = endpoint({
  id: 'offerCorrection',
  tag,
  summary: `What correcting a past price would mean: the re-rating to ask for, at most ${RERATE_MAX_DAYS} days`,
  method: 'POST',
  path: `${pricesPath}/corrections`,
  access: 'models.write',
  body: correctionAsk,
  response: correctionOffer,
});

export const importPrices = endpoint({
  id: 'importPrices',
  tag,
  summary: 'Add the prices of a list for many models: all of them or, with one fault, none',
  method: 'POST',
  path: `${modelsPath}/prices/import`,
  access: 'models.write',
  body: priceImport,
  response: priceImported,
  idempotent: true,
});
