'use client';

import { rest, UPSTREAM_STATES } from '@tollgate/contracts';
import { HeartPulse } from 'lucide-react';
import Link from 'next/link';
import { useMemo } from 'react';

import { useRead } from '../../api/provider';
import { Empty } from '../../design/empty';
import { Page } from '../../design/page';
import { useListQuery } from '../../design/use-list-query';
import { When } from '../../design/when';
import { showCount } from '../../format/numbers';
import type { ListColumn } from '../../resource/columns-menu';
import { listInput } from '../../resource/list-input';
import { ResourceList } from '../../resource/resource-list';
import { sourceOf } from '../../resource/source';
import { pageOf } from '../../shell/paths';
import { useMay, useOrganisation, useScope } from '../../shell/scope';
import { reasonWords } from './state-words';
import { REFRESH_MS, StateBadge } from './upstream-state';

/** The state of the organisation's upstreams. */
export function Upstreams() {
  return (
    <Page
      title="Upstream health"
      description="Models that routing currently skips, and why. Updates every few seconds."
    >
      <UpstreamStatuses />
    </Page>
  );
}

const NOT_ALONE = {};

/** Breakers and cooldowns of all providers or one. */
export function UpstreamStatuses({ providerId }: { providerId?: string }) {
  const { id: organisationId } = useOrganisation();
  const { get } = useListQuery();
  const columns = useStatusColumns(providerId === undefined);
  const fixed = useMemo(
    () => (providerId === undefined ? NOT_ALONE : { providerId }),
    [providerId],
  );
  // Shares its query with the list below and keeps it fresh.
  useRead(
    rest.listUpstreamStatuses,
    { params: { organisationId }, query: listInput(rest.listUpstreamStatuses, get, fixed) },
    { refreshMs: REFRESH_MS },
  );
  return (
    <ResourceList
      title="Upstreams"
      source={sourceOf(rest.listUpstreamStatuses, { organisationId })}
      fixed={fixed}
      columns={columns}
      keyOf={({ modelId, providerId: at }) => `${modelId} ${at}`}
      nameOf={({ modelId }) => `upstream of model ${modelId}`}
      filters={[
        {
          name: 'state',
          label: 'Breaker',
          any: 'Any state',
          values: UPSTREAM_STATES,
          wordOf: (state) => BREAKERS.get(state) ?? state,
        },
      ]}
      empty={
        <Empty icon={HeartPulse} title="No failures">
          A model appears here when routing skips it after failures or rate limits. Only requests
          with a routing policy count.
        </Empty>
      }
    />
  );
}

const BREAKERS: ReadonlyMap<string, string> = new Map([
  ['CLOSED', 'In use'],
  ['OPEN', 'Left out'],
  ['HALF_OPEN', 'On probation'],
]);

function useStatusColumns(withProvider: boolean): readonly ListColumn<rest.UpstreamStatus>[] {
  const { timeZone } = useOrganisation();
  const mayReadProviders = useMay('providers.read');
  const provider = withProvider && mayReadProviders;
  return useMemo<readonly ListColumn<rest.UpstreamStatus>[]>(
    () => [
      { title: 'Model', cell: ({ modelId }) => <ModelName modelId={modelId} /> },
      ...(provider
        ? [
            {
              title: 'Provider',
              from: 'md' as const,
              cell: ({ providerId }: rest.UpstreamStatus) => (
                <ProviderName providerId={providerId} />
              ),
            },
          ]
        : []),
      { title: 'State', cell: (status) => <StateBadge status={status} /> },
      {
        title: 'Why',
        from: 'sm',
        cell: ({ reason }) => reasonWords(reason) ?? <span className="text-ink-faint">—</span>,
      },
      {
        title: 'Failed',
        from: 'md',
        align: 'right',
        cell: ({ attempts, failures }) => `${showCount(failures)} of ${showCount(attempts)}`,
      },
      {
        title: 'Since',
        sort: 'changedAt',
        align: 'right',
        from: 'lg',
        cell: ({ changedAt }) => <When instant={changedAt} timeZone={timeZone} format="moment" />,
      },
    ],
    [provider, timeZone],
  );
}

const LINK = 'break-words text-accent underline-offset-4 hover:underline';

function ModelName({ modelId }: { modelId: string }) {
  const scope = useScope();
  const { id: organisationId } = useOrganisation();
  const { data } = useRead(rest.getModel, { params: { organisationId, modelId } });
  return (
    <Link href={pageOf(scope, `models/${modelId}`)} className={LINK}>
      {data?.name ?? 'Model'}
    </Link>
  );
}

function ProviderName({ providerId }: { providerId: string }) {
  const scope = useScope();
  const { id: organisationId } = useOrganisation();
  const { data } = useRead(rest.getProvider, { params: { organisationId, providerId } });
  return (
    <Link href={pageOf(scope, `providers/${providerId}`)} className={LINK}>
      {data?.name ?? 'Provider'}
    </Link>
  );
}
