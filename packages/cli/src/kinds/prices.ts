import { formatUsd, parseUsd, rest } from '@tollgate/contracts';
import { z } from 'zod';

import type { Part, PartChange } from './kind';

/**
 * Prices of a model. The list names the price that is in effect and those to come; prices of the
 * past are part of the books, not of the configuration.
 */

export interface ModelRow {
  readonly model: rest.Model;
  /** The name of the model that replaces it. */
  readonly replacement: string | undefined;
  readonly scheduled: readonly z.output<typeof rest.pricePeriod>[];
}

type Wanted = z.output<typeof rest.priceCreate>;
type Amounts = Omit<Wanted, 'effectiveFrom'>;

export const wantedPrices = z
  .array(rest.priceCreate)
  .max(20)
  .refine(
    (list) => new Set(list.map(startOf)).size === list.length,
    'each instant once, and one price without an instant',
  )
  .meta({
    description:
      'A price without effectiveFrom is in effect until the first of the others begins. A price in effect is followed by another one, never changed.',
  });

const startOf = ({ effectiveFrom }: Pick<Wanted, 'effectiveFrom'>): number =>
  effectiveFrom === undefined ? Number.NEGATIVE_INFINITY : Date.parse(effectiveFrom);

/** One form of a price: every class has an amount, and each amount is written in one way. */
export function normalPrice({ steps, perRequestUsd, perUnitUsd, tierPercent }: Amounts) {
  const usd = (amount: string): string => formatUsd(parseUsd(amount));
  return {
    steps: steps.map(({ fromInputTokens, input, output, ...classes }) => {
      const or = (given: string | undefined, plain: string): string => usd(given ?? plain);
      return {
        fromInputTokens,
        input: usd(input),
        cacheRead: or(classes.cacheRead, input),
        cacheWrite5m: or(classes.cacheWrite5m, input),
        cacheWrite1h: or(classes.cacheWrite1h, input),
        audioInput: or(classes.audioInput, input),
        imageInput: or(classes.imageInput, input),
        output: usd(output),
        audioOutput: or(classes.audioOutput, output),
        imageOutput: or(classes.imageOutput, output),
      };
    }),
    perRequestUsd: usd(perRequestUsd),
    perUnitUsd: Object.fromEntries(
      Object.entries(perUnitUsd)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([unit, amount]) => [unit, usd(amount ?? '0')]),
    ),
    tierPercent: Object.fromEntries(
      Object.entries(tierPercent).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    ),
  };
}

const sameAmounts = (a: Amounts, b: Amounts): boolean =>
  JSON.stringify(normalPrice(a)) === JSON.stringify(normalPrice(b));

export const prices: Part<ModelRow> = {
  field: 'prices',
  changes: (wanted, row, { nowMs }) => {
    const list = wantedPrices.parse(wanted['prices']).toSorted((a, b) => startOf(a) - startOf(b));
    const current = list.filter((one) => startOf(one) <= nowMs).at(-1);
    const later = list.filter((one) => startOf(one) > nowMs);
    const named = new Set(later.map(startOf));
    return [
      ...currentChange(current, row),
      ...later.flatMap((one) => laterChange(one, row)),
      ...(row?.scheduled ?? []).filter((one) => !named.has(startOf(one))).map(removal),
    ];
  },
};

function currentChange(wanted: Wanted | undefined, row: ModelRow | undefined): PartChange[] {
  if (wanted === undefined) return [];
  const present = row?.model.currentPrice ?? undefined;
  if (present !== undefined && sameAmounts(wanted, amountsOf(present))) return [];
  const { effectiveFrom: _past, ...amounts } = wanted;
  return [
    {
      path: 'prices.current',
      before: present && normalPrice(amountsOf(present)),
      after: normalPrice(wanted),
      run: async (api, params) => void (await api.ask(rest.addPrice, { params, body: amounts })),
    },
  ];
}

function laterChange(wanted: Wanted, row: ModelRow | undefined): PartChange[] {
  const present = row?.scheduled.find((one) => startOf(one) === startOf(wanted));
  if (present !== undefined && sameAmounts(wanted, amountsOf(present))) return [];
  return [
    {
      path: `prices.${String(wanted.effectiveFrom)}`,
      before: present && normalPrice(amountsOf(present)),
      after: normalPrice(wanted),
      run: async (api, params) => {
        if (present !== undefined) {
          await api.ask(rest.deletePrice, { params: { ...params, priceId: present.id } });
        }
        await api.ask(rest.addPrice, { params, body: wanted });
      },
    },
  ];
}

function removal(present: ModelRow['scheduled'][number]): PartChange {
  return {
    path: `prices.${present.effectiveFrom}`,
    before: normalPrice(amountsOf(present)),
    after: undefined,
    removes: true,
    run: async (api, params) =>
      void (await api.ask(rest.deletePrice, { params: { ...params, priceId: present.id } })),
  };
}

/** The amounts of an answer, as a document has them. */
export function amountsOf(price: rest.PriceList): Amounts {
  const { steps, perRequestUsd, perUnitUsd, tierPercent } = price;
  return rest.priceListCreate.parse({ steps, perRequestUsd, perUnitUsd, tierPercent });
}
