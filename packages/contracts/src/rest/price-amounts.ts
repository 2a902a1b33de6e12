import { z } from 'zod';

import { SERVICE_TIER_NAMES } from '../service-tiers';
import { UNITS, type Unit } from '../units';
import { count, givenInstant, id, instant, usd, usdAmount } from './fields';

/** What a model costs: as it is given, and as it is answered. */

const optionalPrice = usd.optional();

/** US dollars per million tokens; absent classes cost the plain input or output price. */
const priceStepCreate = z
  .strictObject({
    fromInputTokens: count.default(0),
    input: usd,
    cacheRead: optionalPrice,
    cacheWrite5m: optionalPrice,
    cacheWrite1h: optionalPrice,
    audioInput: optionalPrice,
    imageInput: optionalPrice,
    output: usd,
    audioOutput: optionalPrice,
    imageOutput: optionalPrice,
  })
  .meta({
    id: 'PriceStepCreate',
    description: 'US dollars per million tokens, for inputs of at least fromInputTokens.',
  });

const priceStep = z
  .object({
    fromInputTokens: z.int(),
    input: usdAmount,
    cacheRead: usdAmount,
    cacheWrite5m: usdAmount,
    cacheWrite1h: usdAmount,
    audioInput: usdAmount,
    imageInput: usdAmount,
    output: usdAmount,
    audioOutput: usdAmount,
    imageOutput: usdAmount,
  })
  .meta({ id: 'PriceStep' });

// Only known units: a price of any other name would never be charged.
const unit = z.enum(Object.keys(UNITS) as [Unit, ...Unit[]]);

const steps = z
  .array(priceStepCreate)
  .min(1)
  .max(9)
  .refine(
    (list) =>
      list.every((step, n) =>
        n === 0
          ? step.fromInputTokens === 0
          : step.fromInputTokens > (list[n - 1]?.fromInputTokens ?? 0),
      ),
    'the first step begins at 0 input tokens, each further one later than the one before',
  );

const percent = z
  .number()
  .min(1)
  .max(10_000)
  .refine(
    (share) => /^\d+(?:\.\d{1,2})?$/.test(String(share)),
    'a percentage has at most two decimals',
  );

const amounts = {
  steps,
  perRequestUsd: usd.default('0'),
  perUnitUsd: z
    .partialRecord(unit, usd)
    .default({})
    .meta({ description: 'US dollars per unit, such as audio_second or an image of one size.' }),
  tierPercent: z.partialRecord(z.enum(SERVICE_TIER_NAMES), percent).default({}).meta({
    description:
      'Percent of the token prices by processing tier, such as priority: 200 or flex: 50. Tiers multiply. A tier without one costs 100.',
  }),
};

/** A price without its validity. */
export const priceListCreate = z.strictObject(amounts).meta({ id: 'PriceListCreate' });
export type PriceListCreate = z.output<typeof priceListCreate>;

export const priceCreate = z
  .strictObject({
    effectiveFrom: givenInstant.optional().meta({ description: 'Absent: now.' }),
    ...amounts,
  })
  .meta({ id: 'PriceCreate' });
export type PriceCreate = z.output<typeof priceCreate>;

const answeredAmounts = {
  steps: z.array(priceStep),
  perRequestUsd: usdAmount,
  perUnitUsd: z.record(z.string(), usdAmount),
  tierPercent: z.record(z.string(), z.number()),
};

export const priceList = z.object(answeredAmounts).meta({ id: 'PriceList' });
export type PriceList = z.output<typeof priceList>;

export const price = z
  .object({ id, effectiveFrom: instant, ...answeredAmounts, createdAt: instant })
  .meta({ id: 'Price' });
export type Price = z.output<typeof price>;
