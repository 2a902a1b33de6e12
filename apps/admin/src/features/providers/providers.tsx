'use client';

import { PROVIDER_TYPES, rest, vendorByType } from '@tollgate/contracts';
import { Server } from 'lucide-react';
import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { useMemo, useState } from 'react';

import { useRest } from '../../api/provider';
import { Badge } from '../../design/badge';
import { When } from '../../design/when';
import { showUsd } from '../../format/money';
import { plural } from '../../format/numbers';
import type { ListColumn } from '../../resource/columns-menu';
import { ListPage } from '../../resource/list-page';
import { sourceOf } from '../../resource/source';
import { SwitchStatus } from '../../resource/switch-status';
import { pageOf } from '../../shell/paths';
import { useMay, useOrganisation, useScope } from '../../shell/scope';
import { providerActions, ProviderWindows, type ProviderWindow } from './provider-actions';
import { HealthLine } from './provider-health';

/** The organisation's providers. */
export function Providers() {
  const scope = useScope();
  const router = useRouter();
  const { id: organisationId } = useOrganisation();
  const client = useRest();
  const mayWrite = useMay('providers.write');
  const columns = useProviderColumns();
  const [window, setWindow] = useState<ProviderWindow>();
  return (
    <ListPage
      title="Providers"
      description="Upstreams that requests are sent to: vendors or your own servers, with their keys."
      create={mayWrite && { label: 'Add provider', onSelect: () => setWindow({ open: 'create' }) }}
      source={sourceOf(rest.listProviders, { organisationId })}
      columns={columns}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      search="Search name"
      filters={[
        {
          name: 'type',
          label: 'Type',
          any: 'Any type',
          values: PROVIDER_TYPES,
          wordOf: (type) => PROVIDER_TITLES.get(type) ?? type,
        },
        { name: 'status', label: 'Status', any: 'On or off', values: rest.SWITCH_STATUSES },
      ]}
      actions={mayWrite && ((provider) => providerActions({ provider, client, open: setWindow }))}
      empty={{
        icon: Server,
        title: 'No providers yet',
        text: 'Add a vendor with its API key, or your own server. Then import its models.',
      }}
    >
      <ProviderWindows
        window={window}
        onChange={setWindow}
        onMade={({ id }) => router.push(pageOf(scope, `providers/${id}`))}
      />
    </ListPage>
  );
}

const PROVIDER_TITLES: ReadonlyMap<string, string> = new Map(
  PROVIDER_TYPES.map((type) => [type, vendorByType(type).title]),
);

function useProviderColumns(): readonly ListColumn<rest.ListedProvider>[] {
  const scope = useScope();
  const { timeZone } = useOrganisation();
  return useMemo<readonly ListColumn<rest.ListedProvider>[]>(
    () => [
      {
        title: 'Name',
        sort: 'name',
        cell: ({ id, name, baseUrl }) => (
          <>
            <Link
              href={pageOf(scope, `providers/${id}`)}
              className="block break-words text-accent underline-offset-4 hover:underline"
            >
              {name}
            </Link>
            <span className="block font-mono text-xs font-normal break-all text-ink-faint">
              {baseUrl}
            </span>
          </>
        ),
      },
      {
        title: 'Spend this month',
        sort: 'spentUsd',
        align: 'right',
        cell: ({ spentUsd }) => showUsd(spentUsd),
      },
      { title: 'Type', from: 'sm', cell: ({ type }) => vendorByType(type).title },
      { title: 'Region', from: 'md', cell: ({ region }) => region ?? '—' },
      { title: 'Status', cell: ({ status }) => <SwitchStatus status={status} /> },
      {
        title: 'Last 24 hours',
        from: 'sm',
        cell: ({ id }) => <HealthLine providerId={id} />,
      },
      { title: 'Keys', from: 'sm', cell: ({ apiKeys }) => <ActiveKeys keys={apiKeys} /> },
      {
        title: 'Created',
        sort: 'createdAt',
        from: 'md',
        align: 'right',
        cell: ({ createdAt }) => <When instant={createdAt} timeZone={timeZone} />,
      },
      {
        title: 'Changed',
        hidden: true,
        align: 'right',
        cell: ({ updatedAt }) => <When instant={updatedAt} timeZone={timeZone} />,
      },
    ],
    [scope, timeZone],
  );
}

function ActiveKeys({ keys }: { keys: readonly rest.ProviderKey[] }) {
  const active = keys.filter(({ status }) => status === 'ACTIVE').length;
  if (keys.length === 0) return <span className="text-ink-faint">none</span>;
  if (active === 0) return <Badge tone="warn">none active</Badge>;
  return active === keys.length
    ? plural(active, 'key')
    : `${String(active)} of ${plural(keys.length, 'key')} active`;
}
