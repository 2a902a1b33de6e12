import { z } from 'zod';

import { CAPABILITIES, MODEL_TYPES } from '../enums';
import { priceList } from './price-amounts';

/** What the list of known models, which ships with the product, says of a model. */

const day = z.iso.date();

/** Facts about a model from the list of known models that ships with the product. */
const knownFacts = {
  vendor: z.string(),
  name: z.string().meta({ description: "The vendor's id of the model." }),
  price: priceList,
  seen: day.meta({ description: 'The day on which the source stated the price.' }),
  sourceUrl: z.url(),
  note: z.string().nullable().meta({ description: 'What the price leaves out; null: nothing.' }),
  retiresFrom: day.nullable().meta({
    description: 'The vendor may stop serving the model from this day on; null: not known.',
  }),
};

export const knownModel = z
  .object({
    ...knownFacts,
    type: z.enum(MODEL_TYPES),
    contextTokens: z.int().nullable().meta({ description: 'Null: not known.' }),
    maxOutputTokens: z.int().nullable().meta({ description: 'Null: not known.' }),
    capabilities: z
      .array(z.enum(CAPABILITIES))
      .nullable()
      .meta({ description: 'Null: not known.' }),
  })
  .meta({ id: 'KnownModel' });
export type KnownModel = z.output<typeof knownModel>;

export const listPrice = z
  .object({
    ...knownFacts,
    differs: z.boolean().meta({
      description: "Whether the model's current price is another one, or there is none.",
    }),
  })
  .meta({ id: 'ListPrice' });
export type ListPrice = z.output<typeof listPrice>;
