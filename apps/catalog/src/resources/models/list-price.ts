import { isDeepStrictEqual } from 'node:util';
import { rest } from '@tollgate/contracts';
import { In, type EntityManager } from 'typeorm';

import type { Model } from '../../entities/model.entity';
import type { Price } from '../../entities/price.entity';
import { Provider } from '../../entities/provider.entity';
import { knownModel, type Known } from '../../known-models/known-models';
import { representPriceList, storedPriceList } from './prices';

/** What the list of known models says of a model, and whether its price differs. */

export function representKnown(known: Known): rest.KnownModel {
  const { type, contextTokens, maxOutputTokens, capabilities } = known;
  return { ...factsOf(known), type, contextTokens, maxOutputTokens, capabilities };
}

function factsOf({ vendor, id, price, note, retiresFrom, sources }: Known) {
  const [source] = sources;
  if (source === undefined) throw new Error(`${id} is listed without a source`);
  return {
    vendor,
    name: id,
    price: representPriceList(storedPriceList(price)),
    seen: source.seen,
    sourceUrl: source.url,
    note,
    retiresFrom,
  };
}

/** The list's words for each model that it knows, by the model's id. */
export async function knownOf(
  db: EntityManager,
  models: readonly Pick<Model, 'id' | 'providerId' | 'upstreamModel'>[],
): Promise<Map<string, Known>> {
  if (models.length === 0) return new Map();
  const rows = await db.find(Provider, {
    select: { id: true, type: true, baseUrl: true },
    where: { id: In([...new Set(models.map(({ providerId }) => providerId))]) },
  });
  const providers = new Map(rows.map((row) => [row.id, row]));
  return new Map(
    models.flatMap(({ id, providerId, upstreamModel }) => {
      const provider = providers.get(providerId);
      const known = provider && knownModel(provider, upstreamModel);
      return known === undefined ? [] : [[id, known] as const];
    }),
  );
}

/** The list has no percentages of tiers, so those of the price in effect stay. */
export function ownTiers(current: Price | undefined): Pick<rest.PriceCreate, 'tierPercent'> {
  return rest.priceListCreate.pick({ tierPercent: true }).parse({
    tierPercent: current?.tierPercent ?? {},
  });
}

export function listPriceOf(
  known: Known | undefined,
  current: Price | undefined,
): rest.ListPrice | null {
  if (known === undefined) return null;
  const facts = factsOf(known);
  const present = current && representPriceList(current);
  const price = { ...facts.price, ...ownTiers(current) };
  return { ...facts, price, differs: !isDeepStrictEqual(present, price) };
}
