'use client';

import { rest } from '@tollgate/contracts';

import { Button } from '../../design/button';
import { OtherErrors } from '../../resource/form-dialog';
import { useSave } from '../../resource/use-save';
import { useMay } from '../../shell/scope';
import { KnownSource, seenOn } from './known-source';
import { priceDraftOf, priceOf } from './price-draft';
import { PRICES_STALE } from './price-form';
import { NoPrice, PriceLine } from './price-view';

/** The price in the list of known models, where it is another one, with one click to take it over. */
export function ListPrice({ model }: { model: rest.Model }) {
  const { listPrice, currentPrice, organisationId, id: modelId, name } = model;
  const mayWrite = useMay('models.write');
  const form = useSave<object, rest.Price>({
    initial: {},
    stale: PRICES_STALE,
    send: (_draft, call) => {
      if (listPrice === null) throw new Error('the list does not know this model');
      const params = { organisationId, modelId };
      return call(rest.addPrice, { params, body: priceOf(priceDraftOf(listPrice.price)) });
    },
    made: () => `Price of ${name} set.`,
  });
  if (listPrice === null) return null;
  const { differs, price, note, vendor, seen, retiresFrom } = listPrice;
  return (
    <div className="flex flex-col gap-3 border-t p-4">
      <OtherErrors error={form.error} fields={[]} />
      {differs ? (
        <form onSubmit={form.submit} className="flex flex-wrap items-start gap-x-6 gap-y-3">
          <div className="min-w-0 flex-1">
            <p className="font-medium">
              {currentPrice === null
                ? `${vendor} publishes a price for this model`
                : `The list price differs since ${seenOn(seen)}`}
            </p>
            <PriceLine price={price} />
            <p className="text-sm text-ink-soft">
              <KnownSource known={listPrice} />
            </p>
          </div>
          {mayWrite && (
            <Button type="submit" look="primary" busy={form.busy}>
              Take the list price
            </Button>
          )}
        </form>
      ) : (
        <p className="text-sm text-ink-soft">
          The price is the list price, <KnownSource known={listPrice} />.
        </p>
      )}
      {note !== null && <p className="text-sm text-ink-soft">{note}</p>}
      {retiresFrom !== null && (
        <p className="text-sm text-warn">
          {vendor} may stop serving this model from {seenOn(retiresFrom)} on.
        </p>
      )}
    </div>
  );
}

/** In a list: the price, and whether the list of known models has another one. */
export function PriceCell({ model: { listPrice, currentPrice } }: { model: rest.Model }) {
  return (
    <>
      {currentPrice === null ? <NoPrice /> : <PriceLine price={currentPrice} />}
      {listPrice?.differs === true && (
        <span className="block text-xs text-warn">
          {currentPrice === null
            ? 'The list of known models has a price'
            : `List price differs since ${seenOn(listPrice.seen)}`}
        </span>
      )}
    </>
  );
}
