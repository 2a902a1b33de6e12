'use client';

import { rest } from '@tollgate/contracts';
import { CircleDollarSign, FilePen, Undo2 } from 'lucide-react';
import { useMemo, useState } from 'react';

import { useRest } from '../../api/provider';
import { Badge, type Tone } from '../../design/badge';
import { Empty } from '../../design/empty';
import type { MenuAction } from '../../design/menu';
import { When } from '../../design/when';
import { showTime } from '../../format/time';
import { sentence } from '../../format/words';
import type { ListColumn } from '../../resource/columns-menu';
import { ConfirmDialog, type Question } from '../../resource/confirm-dialog';
import { ResourceList } from '../../resource/resource-list';
import { sourceOf } from '../../resource/source';
import { useMay, useOrganisation } from '../../shell/scope';
import { PriceCorrection } from './price-correction';
import { PRICES_STALE } from './price-form';
import { PriceLine } from './price-view';

/** Past, current and future prices of a model. */
export function PriceHistory({ model }: { model: rest.Model }) {
  const { timeZone } = useOrganisation();
  const client = useRest();
  const mayWrite = useMay('models.write');
  const columns = usePriceColumns();
  const [question, setQuestion] = useState<Question>();
  const [wrong, setWrong] = useState<rest.PricePeriod>();
  const params = { organisationId: model.organisationId, modelId: model.id };
  const nameOf = ({ effectiveFrom }: rest.PricePeriod): string =>
    `the price from ${showTime(effectiveFrom, 'date', timeZone)}`;
  const actions = (price: rest.PricePeriod): readonly MenuAction[] => {
    if (price.state !== 'SCHEDULED') {
      return [{ label: 'Correct', icon: FilePen, onSelect: () => setWrong(price) }];
    }
    return [
      {
        label: 'Cancel price',
        icon: Undo2,
        danger: true,
        onSelect: () =>
          setQuestion({
            title: `Cancel ${nameOf(price)}?`,
            consequence: 'The price never takes effect. The previous price continues.',
            confirm: 'Cancel price',
            cancel: 'Keep the price',
            run: () => client.call(rest.deletePrice, { params: { ...params, priceId: price.id } }),
            stale: PRICES_STALE,
            done: 'Price cancelled.',
          }),
      },
    ];
  };
  return (
    <section aria-labelledby="prices" className="flex flex-col gap-3">
      <h2 id="prices" className="font-semibold">
        Price history
      </h2>
      <ResourceList
        title="Prices of the model"
        source={sourceOf(rest.listPrices, params)}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={nameOf}
        filters={[{ name: 'state', label: 'State', any: 'Any state', values: rest.PRICE_STATES }]}
        actions={mayWrite && actions}
        empty={
          <Empty icon={CircleDollarSign} title="No price yet">
            Set a price here, or import a price list on the Models page.
          </Empty>
        }
      />
      {wrong !== undefined && (
        <PriceCorrection model={model} price={wrong} onClose={() => setWrong(undefined)} />
      )}
      {question !== undefined && (
        <ConfirmDialog question={question} onClose={() => setQuestion(undefined)} />
      )}
    </section>
  );
}

const TONES: Readonly<Record<rest.PricePeriod['state'], Tone>> = {
  PAST: 'neutral',
  CURRENT: 'good',
  SCHEDULED: 'accent',
};

function usePriceColumns(): readonly ListColumn<rest.PricePeriod>[] {
  const { timeZone } = useOrganisation();
  return useMemo<readonly ListColumn<rest.PricePeriod>[]>(
    () => [
      {
        title: 'From',
        sort: 'effectiveFrom',
        cell: ({ effectiveFrom }) => (
          <>
            <When instant={effectiveFrom} timeZone={timeZone} />
            <span className="block text-xs font-normal text-ink-faint">
              {showTime(effectiveFrom, 'hour', timeZone)}
            </span>
          </>
        ),
      },
      {
        title: 'Until',
        from: 'sm',
        cell: ({ effectiveUntil }) => (
          <When instant={effectiveUntil} timeZone={timeZone} never="further notice" />
        ),
      },
      { title: 'State', cell: ({ state }) => <Badge tone={TONES[state]}>{sentence(state)}</Badge> },
      { title: 'Price per million tokens', cell: (price) => <PriceLine price={price} /> },
      {
        title: 'Set',
        hidden: true,
        align: 'right',
        cell: ({ createdAt }) => <When instant={createdAt} timeZone={timeZone} />,
      },
    ],
    [timeZone],
  );
}
