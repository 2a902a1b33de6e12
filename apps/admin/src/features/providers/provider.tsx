'use client';

import { rest, vendorByType } from '@tollgate/contracts';
import { Boxes } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useRouter } from 'next/navigation';
import { useState } from 'react';

import { useRead, useRest } from '../../api/provider';
import { Button } from '../../design/button';
import { Card } from '../../design/card';
import { Empty } from '../../design/empty';
import { Facts } from '../../design/facts';
import { Tabs, useTab } from '../../design/tabs';
import { When } from '../../design/when';
import { waitWords } from '../../format/wait-words';
import { DetailPage } from '../../resource/detail-page';
import { ResourceList } from '../../resource/resource-list';
import { sourceOf } from '../../resource/source';
import { SwitchStatus } from '../../resource/switch-status';
import { pageOf } from '../../shell/paths';
import { useMay, useOrganisation, useScope } from '../../shell/scope';
import { useModelColumns } from '../models/columns';
import { UpstreamStatuses } from '../upstreams/upstreams';
import { UsageLink } from '../usage/usage-link';
import { providerActions, ProviderWindows, type ProviderWindow } from './provider-actions';
import { HealthCard } from './provider-health';
import { ProviderKeys } from './provider-keys';

const RulesOfProvider = dynamic(
  () => import('../passthrough/rules-of-provider').then((module) => module.RulesOfProvider),
  { ssr: false },
);

const PROVIDER_TABS = [
  { value: 'keys', label: 'Keys' },
  { value: 'models', label: 'Models' },
  { value: 'health', label: 'Health' },
  { value: 'passthrough', label: 'Passthrough' },
] as const;

/** A provider with its settings, keys and models. */
export function Provider({ providerId }: { providerId: string }) {
  const scope = useScope();
  const router = useRouter();
  const client = useRest();
  const { id: organisationId } = useOrganisation();
  const read = useRead(rest.getProvider, {
    params: { organisationId, providerId },
  });
  const mayWrite = useMay('providers.write');
  const tab = useTab(PROVIDER_TABS);
  const [window, setWindow] = useState<ProviderWindow>();
  const provider = read.data;
  const actions =
    provider === undefined || !mayWrite
      ? []
      : providerActions({
          provider,
          client,
          open: setWindow,
          onDeleted: () => router.push(pageOf(scope, 'providers')),
        });
  return (
    <DetailPage
      noun="Provider"
      read={read}
      title={({ name }) => name}
      description={({ type }) => `Provider · ${vendorByType(type).title}`}
      links={<UsageLink of={{ providerId }} />}
      actions={actions}
      buttons={3}
      windows={<ProviderWindows window={window} onChange={setWindow} />}
    >
      {(data) => (
        <>
          <About provider={data} />
          <Tabs label="Parts of the provider" tabs={PROVIDER_TABS} />
          {tab === 'health' && (
            <>
              <HealthCard providerId={data.id} />
              <UpstreamStatuses providerId={data.id} />
            </>
          )}
          {tab === 'passthrough' && <RulesOfProvider provider={data} />}
          {tab === 'models' && (
            <ModelsOfProvider
              provider={data}
              onImport={mayWrite ? () => setWindow({ open: 'import', provider: data }) : undefined}
            />
          )}
          {tab === 'keys' && (
            <ProviderKeys
              provider={data}
              onEditProvider={() => setWindow({ open: 'edit', provider: data })}
            />
          )}
        </>
      )}
    </DetailPage>
  );
}

function About({ provider }: { provider: rest.Provider }) {
  const { timeZone } = useOrganisation();
  const { baseUrl, apiVersion, upstreamFormat, nativeResponses, status, headers, createdAt } =
    provider;
  const headerNames = Object.keys(headers);
  return (
    <Card title="About">
      <Facts
        facts={[
          { name: 'Status', value: <SwitchStatus status={status} /> },
          {
            name: 'Base URL',
            value: <span className="font-mono text-sm break-all">{baseUrl}</span>,
          },
          { name: 'Region', value: provider.region ?? 'unknown' },
          { name: 'Format', value: upstreamFormat },
          ...(nativeResponses ? [{ name: 'Responses API', value: 'Declared' }] : []),
          ...(apiVersion === null ? [] : [{ name: 'API version', value: apiVersion }]),
          ...(headerNames.length === 0
            ? []
            : [{ name: 'Headers sent', value: headerNames.join(', ') }]),
          {
            name: 'Timeouts',
            value: [
              `${waitWords(provider.connectTimeoutMs)} connect`,
              `${waitWords(provider.firstByteTimeoutMs)} first byte`,
              `${waitWords(provider.idleTimeoutMs)} idle`,
              `${waitWords(provider.timeoutMs)} total`,
            ].join(', '),
          },
          { name: 'Created', value: <When instant={createdAt} timeZone={timeZone} /> },
          { name: 'Id', value: <code className="font-mono text-sm">{provider.id}</code> },
        ]}
      />
    </Card>
  );
}

interface ModelsOfProviderProps {
  readonly provider: rest.Provider;
  readonly onImport: (() => void) | undefined;
}

function ModelsOfProvider({ provider, onImport }: ModelsOfProviderProps) {
  const columns = useModelColumns(undefined);
  const { organisationId, id: providerId } = provider;
  return (
    <ResourceList
      title="Models of the provider"
      source={sourceOf(rest.listModels, { organisationId })}
      fixed={{ providerId }}
      columns={columns}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      search="Search name"
      empty={
        <Empty
          icon={Boxes}
          title="No model uses this provider yet"
          action={onImport && <Button onClick={onImport}>Import models</Button>}
        >
          Import the models that the organisation may use.
        </Empty>
      }
    />
  );
}
