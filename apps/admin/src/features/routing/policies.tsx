'use client';

import { rest } from '@tollgate/contracts';
import { Info, Waypoints } from 'lucide-react';
import Link from 'next/link';
import { useMemo, useState } from 'react';

import { useRead, useRest } from '../../api/provider';
import { When } from '../../design/when';
import { plural } from '../../format/numbers';
import type { ListColumn } from '../../resource/columns-menu';
import { ListPage } from '../../resource/list-page';
import { sourceOf } from '../../resource/source';
import { SwitchStatus } from '../../resource/switch-status';
import { pageOf } from '../../shell/paths';
import { useMay, useOrganisation, useScope } from '../../shell/scope';
import { policyActions, PolicyWindows, type PolicyWindow } from './policy-actions';
import { STRATEGY_WORDS } from './words';

/** The organisation's routing policies. */
export function Policies() {
  const { id: organisationId } = useOrganisation();
  const client = useRest();
  const mayWrite = useMay('routing-policies.write');
  const columns = usePolicyColumns();
  const [window, setWindow] = useState<PolicyWindow>();
  return (
    <ListPage
      title="Routing policies"
      description="Which model serves a request, and which one is next when it fails."
      create={mayWrite && { label: 'Create policy', onSelect: () => setWindow({ open: 'create' }) }}
      above={<RoutingSwitch />}
      source={sourceOf(rest.listRoutingPolicies, { organisationId })}
      columns={columns}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      search="Search name"
      filters={[
        { name: 'status', label: 'Status', any: 'On or off', values: rest.SWITCH_STATUSES },
      ]}
      actions={mayWrite && ((policy) => policyActions({ policy, client, open: setWindow }))}
      empty={{
        icon: Waypoints,
        title: 'No routing policies yet',
        text: mayWrite
          ? 'Create a policy with at least two models, then assign it to a key. When one upstream fails, the next one answers.'
          : 'An administrator creates policies and assigns them to keys.',
      }}
    >
      <PolicyWindows window={window} onClose={() => setWindow(undefined)} />
    </ListPage>
  );
}

/** A notice while routing is off in the organisation's settings. */
export function RoutingSwitch() {
  const scope = useScope();
  const { id: organisationId } = useOrganisation();
  const mayChange = useMay('organisation.update');
  const { data } = useRead(rest.getSettings, { params: { organisationId } });
  if (data === undefined || (data.routingEnabled && data.routeCompatRequests)) return null;
  const settings = (
    <Link href={pageOf(scope, 'settings')} className="text-accent underline underline-offset-4">
      settings
    </Link>
  );
  return (
    <p className="flex items-start gap-2.5 rounded-md bg-accent-soft px-4 py-3 text-sm">
      <Info className="mt-0.5 size-4 shrink-0 text-accent" aria-hidden />
      <span>
        {data.routingEnabled
          ? 'Policies apply to /v1/llm/chat. To apply them to the vendors’ routes, turn that on'
          : 'Policies have no effect yet: routing is off in this organisation. Turn it on'}{' '}
        in the {mayChange ? settings : 'settings (administrators only)'}.
      </span>
    </p>
  );
}

function usePolicyColumns(): readonly ListColumn<rest.RoutingPolicy>[] {
  const scope = useScope();
  const { timeZone } = useOrganisation();
  return useMemo<readonly ListColumn<rest.RoutingPolicy>[]>(
    () => [
      {
        title: 'Name',
        sort: 'name',
        cell: ({ id, name }) => (
          <Link
            href={pageOf(scope, `routing/${id}`)}
            className="break-words text-accent underline-offset-4 hover:underline"
          >
            {name}
          </Link>
        ),
      },
      { title: 'Strategy', cell: ({ strategy }) => STRATEGY_WORDS[strategy].label },
      {
        title: 'Candidates',
        from: 'sm',
        cell: ({ candidates }) => plural(candidates.length, 'model'),
      },
      { title: 'Status', cell: ({ status }) => <SwitchStatus status={status} /> },
      {
        title: 'Created',
        sort: 'createdAt',
        from: 'md',
        align: 'right',
        cell: ({ createdAt }) => <When instant={createdAt} timeZone={timeZone} />,
      },
    ],
    [scope, timeZone],
  );
}
