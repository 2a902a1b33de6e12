import { rest } from '@tollgate/contracts';
import { In } from 'typeorm';

import { Model } from '../../entities/model.entity';
import type { Call } from '../../rest/call';
import { knownOf, ownTiers } from './list-price';
import type { ReadList } from './price-lists';
import { currentPrices } from './prices';

/**
 * The list of known models as a price list of the organisation: a price from now on for each model
 * that the list knows. A model that is named and not known is a fault.
 */
export async function listKnownPrices(
  { db, nowMs, organisation }: Pick<Call, 'db' | 'nowMs' | 'organisation'>,
  names: readonly string[] | undefined,
): Promise<ReadList> {
  const models = await db.find(Model, {
    where: {
      organisationId: organisation.id,
      status: In(['ACTIVE', 'DISABLED']),
      ...(names === undefined ? {} : { name: In([...new Set(names)]) }),
    },
    order: { name: 'ASC' },
    take: rest.PRICE_IMPORT_MAX_PRICES + 1,
  });
  if (models.length > rest.PRICE_IMPORT_MAX_PRICES) {
    const message = `more than ${rest.PRICE_IMPORT_MAX_PRICES} models: name those to price`;
    return { prices: [], faults: [{ line: null, column: null, message }] };
  }
  const known = await knownOf(db, models);
  const ids = models.map(({ id }) => id);
  const current = await currentPrices(db, ids, nowMs);
  const prices = models.flatMap((model) => {
    const listed = known.get(model.id)?.price;
    if (listed === undefined) return [];
    const price = { ...listed, ...ownTiers(current.get(model.id)) };
    return [{ line: null, at: (): string => model.name, model: model.name, price }];
  });
  const priced = new Set(prices.map(({ model }) => model));
  const unknown = [...new Set(names)].filter((name) => !priced.has(name));
  return { prices, faults: unknown.map(unknownModel) };
}

function unknownModel(name: string): ReadList['faults'][number] {
  return { line: null, column: name, message: 'the list of known models has no price for it' };
}
