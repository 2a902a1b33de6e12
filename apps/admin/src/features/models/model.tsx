'use client';

import { rest } from '@tollgate/contracts';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { useRead, useRest } from '../../api/provider';
import { Button } from '../../design/button';
import { Card } from '../../design/card';
import { Facts } from '../../design/facts';
import { Failure } from '../../design/failure';
import { ActionMenu } from '../../design/menu';
import { Page } from '../../design/page';
import { SkeletonRows } from '../../design/skeleton';
import { When } from '../../design/when';
import { showCount } from '../../format/numbers';
import { sentence } from '../../format/words';
import { pageOf } from '../../shell/paths';
import { useMay, useOrganisation, useScope } from '../../shell/scope';
import { UsageLink } from '../usage/usage-link';
import { ModelStatus } from './columns';
import { modelActions, ModelWindows, type ModelWindow } from './model-actions';
import { PriceHistory } from './price-history';
import { NoPrice, PriceTable } from './price-view';
import { ProviderLink } from './provider-link';

/** Of what can be done with it, this many are buttons; the rest is in a menu. */
const BUTTONS = 2;

/** One model: what it is, what it costs, what it cost and will cost. */
export function Model({ modelId }: { modelId: string }) {
  const scope = useScope();
  const router = useRouter();
  const client = useRest();
  const { id: organisationId } = useOrganisation();
  const { data, error, refetch } = useRead(rest.getModel, { params: { organisationId, modelId } });
  const mayWrite = useMay('models.write');
  const [window, setWindow] = useState<ModelWindow>();
  const actions =
    data === undefined || !mayWrite
      ? []
      : modelActions({
          model: data,
          client,
          open: setWindow,
          onDeleted: () => router.push(pageOf(scope, 'models')),
        });
  return (
    <Page
      title={data?.name ?? 'Model'}
      {...(data === undefined ? {} : { description: `Model · ${sentence(data.type)}` })}
      actions={
        <>
          <UsageLink of={{ modelId }} />
          {actions.slice(0, BUTTONS).map((action) => (
            <Button key={action.label} onClick={'onSelect' in action ? action.onSelect : undefined}>
              <action.icon aria-hidden />
              {action.label}
            </Button>
          ))}
          <ActionMenu label="More actions" actions={actions.slice(BUTTONS)} />
        </>
      }
    >
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <SkeletonRows label="Loading the model" />}
      {data !== undefined && (
        <>
          <About model={data} />
          <Card
            title="Price"
            hint="US dollars per million tokens"
            flush={data.currentPrice !== null}
          >
            {data.currentPrice === null ? (
              <div className="flex flex-col items-start gap-2">
                <NoPrice />
                <p className="text-ink-soft">
                  Requests that a budget or a cost quota binds are refused with the reason no_price;
                  others are served and booked at no cost.
                </p>
              </div>
            ) : (
              <PriceTable price={data.currentPrice} />
            )}
          </Card>
          <PriceHistory model={data} />
        </>
      )}
      <ModelWindows window={window} onClose={() => setWindow(undefined)} />
    </Page>
  );
}

function About({ model }: { model: rest.Model }) {
  const { timeZone } = useOrganisation();
  const { maxOutputTokens, defaultMaxOutputTokens, capabilities, displayName } = model;
  const calls = showCount(model.maxToolCalls);
  const tokens = (count: number | null): string =>
    count === null ? 'not known' : `${showCount(count)} tokens`;
  return (
    <Card title="About">
      <Facts
        facts={[
          { name: 'Status', value: <ModelStatus status={model.status} /> },
          { name: 'Provider', value: <ProviderLink providerId={model.providerId} /> },
          {
            name: 'Name at its upstream',
            value: <span className="font-mono text-sm break-all">{model.upstreamModel}</span>,
          },
          ...(displayName === null ? [] : [{ name: 'Name for people', value: displayName }]),
          { name: 'Context', value: tokens(model.contextTokens) },
          { name: 'Longest answer', value: tokens(maxOutputTokens) },
          { name: 'Assumed answer', value: tokens(defaultMaxOutputTokens) },
          { name: 'Assumed calls of a server tool', value: calls },
          { name: 'Takes beside text', value: capabilityWords(capabilities) },
          { name: 'Created', value: <When instant={model.createdAt} timeZone={timeZone} /> },
          { name: 'Id', value: <code className="font-mono text-sm">{model.id}</code> },
        ]}
      />
    </Card>
  );
}

function capabilityWords(capabilities: rest.Model['capabilities']): string {
  if (capabilities === null) return 'not known';
  return capabilities.length === 0 ? 'nothing' : sentence(capabilities.join(', '));
}
