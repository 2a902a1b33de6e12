'use client';

import { rest } from '@tollgate/contracts';
import { Pencil, ScanSearch } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';

import { useRest } from '../../api/provider';
import type { RestClient } from '../../api/rest-client';
import type { MenuAction } from '../../design/menu';
import { When } from '../../design/when';
import { deleteAction } from '../../resource/actions';
import type { ListColumn } from '../../resource/columns-menu';
import { ConfirmDialog, type Question } from '../../resource/confirm-dialog';
import { ListPage } from '../../resource/list-page';
import { sourceOf } from '../../resource/source';
import { useMay, useOrganisation } from '../../shell/scope';
import { ServiceForm } from './service-form';
import { PROTOCOL_WORDS } from './words';

type ServiceWindow =
  | { readonly open: 'create' }
  | { readonly open: 'edit'; readonly serviceId: string }
  | { readonly open: 'ask'; readonly question: Question };

/** The organisation's screening services. `above`: tabs of the page. */
export function ScreeningServices({ above }: { readonly above: ReactNode }) {
  const { id: organisationId } = useOrganisation();
  const client = useRest();
  const mayWrite = useMay('screening.write');
  const columns = useColumns();
  const [window, setWindow] = useState<ServiceWindow>();
  const close = (): void => setWindow(undefined);
  return (
    <ListPage
      title="Screening services"
      heading="Screening"
      description="Services outside of the gateway that judge texts for rules."
      create={mayWrite && { label: 'Add service', onSelect: () => setWindow({ open: 'create' }) }}
      above={above}
      source={sourceOf(rest.listScreeningServices, { organisationId })}
      columns={columns}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      search="Search name or identifier"
      actions={mayWrite && ((service) => actionsOf(service, client, setWindow))}
      empty={{
        icon: ScanSearch,
        title: 'No screening services yet',
        text: 'Add Presidio, a moderation endpoint, a judge or a service of your own, then name it in a rule.',
      }}
    >
      {window?.open === 'create' && <ServiceForm onClose={close} />}
      {window?.open === 'edit' && <ServiceForm serviceId={window.serviceId} onClose={close} />}
      {window?.open === 'ask' && <ConfirmDialog question={window.question} onClose={close} />}
    </ListPage>
  );
}

function useColumns(): readonly ListColumn<rest.ScreeningService>[] {
  const { timeZone } = useOrganisation();
  return useMemo<readonly ListColumn<rest.ScreeningService>[]>(
    () => [
      { title: 'Name', sort: 'name', cell: ({ name }) => name },
      {
        title: 'Identifier',
        cell: ({ identifier }) => <code className="font-mono text-sm">{identifier}</code>,
      },
      {
        title: 'Protocol',
        from: 'sm',
        cell: ({ protocol }) => PROTOCOL_WORDS[protocol.type].label,
      },
      {
        title: 'Created',
        sort: 'createdAt',
        from: 'md',
        align: 'right',
        cell: ({ createdAt }) => <When instant={createdAt} timeZone={timeZone} />,
      },
    ],
    [timeZone],
  );
}

function actionsOf(
  { id: screeningServiceId, name, organisationId }: rest.ScreeningService,
  client: RestClient,
  open: (window: ServiceWindow) => void,
): readonly MenuAction[] {
  const params = { organisationId, screeningServiceId };
  return [
    {
      label: 'Edit',
      icon: Pencil,
      onSelect: () => open({ open: 'edit', serviceId: screeningServiceId }),
    },
    deleteAction({
      noun: 'service',
      name,
      consequence: 'A service that rules ask cannot be deleted. This cannot be undone.',
      run: () => client.call(rest.deleteScreeningService, { params }),
      stale: [rest.listScreeningServices.id],
      ask: (question) => open({ open: 'ask', question }),
    }),
  ];
}
