'use client';

import { rest } from '@tollgate/contracts';
import { ShieldCheck } from 'lucide-react';
import Link from 'next/link';
import { useMemo, useState, type ReactNode } from 'react';

import { useRest } from '../../api/provider';
import { When } from '../../design/when';
import { plural } from '../../format/numbers';
import type { ListColumn } from '../../resource/columns-menu';
import { ListPage } from '../../resource/list-page';
import { sourceOf } from '../../resource/source';
import { SwitchStatus } from '../../resource/switch-status';
import { pageOf } from '../../shell/paths';
import { useMay, useOrganisation, useScope } from '../../shell/scope';
import { policyActions, PolicyWindows, type PolicyWindow } from './policy-actions';
import { attachedWords } from './words';

/** The organisation's screening policies. `above`: tabs of the page. */
export function ScreeningPolicies({ above }: { readonly above: ReactNode }) {
  const { id: organisationId } = useOrganisation();
  const client = useRest();
  const mayWrite = useMay('screening.write');
  const columns = useColumns();
  const [window, setWindow] = useState<PolicyWindow>();
  return (
    <ListPage
      title="Screening"
      description="Rules about the texts of requests and answers."
      create={mayWrite && { label: 'Create policy', onSelect: () => setWindow({ open: 'create' }) }}
      above={above}
      source={sourceOf(rest.listScreeningPolicies, { organisationId })}
      columns={columns}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      search="Search name or identifier"
      filters={[
        { name: 'status', label: 'Status', any: 'On or off', values: rest.SWITCH_STATUSES },
      ]}
      actions={mayWrite && ((policy) => policyActions({ policy, client, open: setWindow }))}
      empty={{
        icon: ShieldCheck,
        title: 'No screening policies yet',
        text: 'Create a policy that observes personal data, look at the records of requests, then let it mask or block.',
      }}
    >
      <PolicyWindows window={window} onClose={() => setWindow(undefined)} />
    </ListPage>
  );
}

function useColumns(): readonly ListColumn<rest.ScreeningPolicy>[] {
  const scope = useScope();
  const { timeZone } = useOrganisation();
  return useMemo<readonly ListColumn<rest.ScreeningPolicy>[]>(
    () => [
      {
        title: 'Name',
        sort: 'name',
        cell: ({ id, name }) => (
          <Link
            href={pageOf(scope, `screening/${id}`)}
            className="break-words text-accent underline-offset-4 hover:underline"
          >
            {name}
          </Link>
        ),
      },
      { title: 'Applies to', cell: ({ attachedTo }) => attachedWords(attachedTo) },
      { title: 'Rules', from: 'sm', cell: ({ rules }) => plural(rules.length, 'rule') },
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
