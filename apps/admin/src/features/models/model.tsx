'use client';

import { rest } from '@tollgate/contracts';
import { useRouter } from 'next/navigation';
import { useState } from 'react';

import { useRead, useRest } from '../../api/provider';
import { Card } from '../../design/card';
import { Facts } from '../../design/facts';
import { useListQuery } from '../../design/use-list-query';
import { When } from '../../design/when';
import { showCount } from '../../format/numbers';
import { sentence } from '../../format/words';
import { DetailPage } from '../../resource/detail-page';
import { regionWords } from '../../resource/regions-field';
import { SwitchStatus } from '../../resource/switch-status';
import { pageOf } from '../../shell/paths';
import { useMay, useOrganisation, useScope } from '../../shell/scope';
import { SavedCard } from '../usage/saved-card';
import { UsageLink } from '../usage/usage-link';
import { ListPrice } from './list-price';
import { modelActions, ModelWindows, type ModelWindow } from './model-actions';
import { PriceHistory } from './price-history';
import { NoPrice, PriceTable } from './price-view';
import { ProviderLink } from './provider-link';
import { RetirementFacts } from './retirement-facts';

/** A model with its settings, price and price history. */
export function Model({ modelId }: { modelId: string }) {
  const scope = useScope();
  const router = useRouter();
  const client = useRest();
  const { id: organisationId } = useOrganisation();
  const read = useRead(rest.getModel, { params: { organisationId, modelId } });
  const mayWrite = useMay('models.write');
  const [opened, setWindow] = useState<ModelWindow>();
  const model = read.data;
  // A link of a refusal opens the form at the field that helps.
  const { get, set } = useListQuery();
  const field = get('edit');
  const linked: ModelWindow | undefined =
    field === undefined || model === undefined || !mayWrite
      ? undefined
      : { open: 'edit', model, focus: field };
  const window = opened ?? linked;
  const close = (): void => {
    setWindow(undefined);
    if (field !== undefined) set('edit', undefined);
  };
  const actions =
    model === undefined || !mayWrite
      ? []
      : modelActions({
          model,
          client,
          open: setWindow,
          onDeleted: () => router.push(pageOf(scope, 'models')),
        });
  return (
    <DetailPage
      noun="Model"
      read={read}
      title={({ name }) => name}
      description={({ type }) => `Model · ${sentence(type)}`}
      links={<UsageLink of={{ modelId }} />}
      actions={actions}
      buttons={2}
      windows={<ModelWindows window={window} onClose={close} />}
    >
      {(data) => (
        <>
          <About model={data} />
          <Card title="Price" hint="US dollars per million tokens" flush>
            {data.currentPrice === null ? (
              <div className="flex flex-col items-start gap-2 p-4">
                <NoPrice />
                <p className="text-ink-soft">
                  Requests under a budget or a cost quota are refused with the reason no_price.
                  Other requests are served at no cost. Set a price to change both.
                </p>
              </div>
            ) : (
              <PriceTable price={data.currentPrice} />
            )}
            <ListPrice model={data} />
          </Card>
          <SavedCard of={{ modelId: data.id }} />
          <PriceHistory model={data} />
        </>
      )}
    </DetailPage>
  );
}

function About({ model }: { model: rest.Model }) {
  const { timeZone } = useOrganisation();
  const { maxOutputTokens, defaultMaxOutputTokens, capabilities, displayName } = model;
  const calls = showCount(model.maxToolCalls);
  const tokens = (count: number | null): string =>
    count === null ? 'unknown' : `${showCount(count)} tokens`;
  return (
    <Card title="About">
      <Facts
        facts={[
          { name: 'Status', value: <SwitchStatus status={model.status} /> },
          { name: 'Provider', value: <ProviderLink providerId={model.providerId} /> },
          {
            name: 'Upstream model name',
            value: <span className="font-mono text-sm break-all">{model.upstreamModel}</span>,
          },
          ...(displayName === null ? [] : [{ name: 'Display name', value: displayName }]),
          { name: 'Context', value: tokens(model.contextTokens) },
          { name: 'Maximum output', value: tokens(maxOutputTokens) },
          { name: 'Default output bound', value: tokens(defaultMaxOutputTokens) },
          { name: 'Default calls per server tool', value: calls },
          { name: 'Capabilities beyond text', value: capabilityWords(capabilities) },
          { name: 'Allowed regions', value: regionWords(model.allowedRegions) },
          { name: 'End', value: <RetirementFacts retirement={model.retirement} /> },
          { name: 'Created', value: <When instant={model.createdAt} timeZone={timeZone} /> },
          { name: 'Id', value: <code className="font-mono text-sm">{model.id}</code> },
        ]}
      />
    </Card>
  );
}

function capabilityWords(capabilities: rest.Model['capabilities']): string {
  if (capabilities === null) return 'unknown';
  return capabilities.length === 0 ? 'nothing' : sentence(capabilities.join(', '));
}
