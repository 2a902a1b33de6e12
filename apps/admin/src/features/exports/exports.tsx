'use client';

import type { rest } from '@tollgate/contracts';
import { FileOutput, ListChecks, Pause, Pencil, Play, Send } from 'lucide-react';
import { useMemo, useState } from 'react';

import { useRest } from '../../api/provider';
import { ApiError, type RestClient } from '../../api/rest-client';
import { Badge } from '../../design/badge';
import type { MenuAction } from '../../design/menu';
import { useFailure, useToast } from '../../design/toast';
import { When } from '../../design/when';
import { showCount } from '../../format/numbers';
import { deleteAction } from '../../resource/actions';
import type { ListColumn } from '../../resource/columns-menu';
import { ConfirmDialog, type Question } from '../../resource/confirm-dialog';
import { ListPage } from '../../resource/list-page';
import { useTimeZone } from '../../shell/scope';
import { DeliveriesWindow } from './deliveries-window';
import { EditDestination, NewDestination } from './destination-form';
import { useDestinations, type Destinations } from './use-destinations';
import { placeOf, stateOf, TARGET_WORDS } from './words';

type ExportWindow =
  | { readonly open: 'create' }
  | { readonly open: 'edit'; readonly id: string }
  | { readonly open: 'deliveries'; readonly destination: rest.ExportDestination }
  | { readonly open: 'ask'; readonly question: Question };

/** Where records are delivered to, of an organisation or of the platform. */
export function Exports() {
  const destinations = useDestinations();
  const client = useRest();
  const say = useToast();
  const fail = useFailure();
  const columns = useColumns();
  const [window, setWindow] = useState<ExportWindow>();
  const close = (): void => setWindow(undefined);
  const { mayWrite, source, organisationId } = destinations;
  const whose = organisationId === undefined ? 'all organisations' : 'this organisation';
  return (
    <ListPage
      title="Export destinations"
      heading="Exports"
      description={`Usage records and audit events of ${whose}, delivered as they are written.`}
      create={
        mayWrite && { label: 'Add destination', onSelect: () => setWindow({ open: 'create' }) }
      }
      source={source}
      columns={columns}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      search="Search name"
      actions={(destination) =>
        actionsOf(destination, { destinations, client, say, fail, open: setWindow })
      }
      empty={{
        icon: FileOutput,
        title: 'No export destinations yet',
        text: 'Add a webhook, or a bucket of an S3-compatible storage.',
      }}
    >
      {window?.open === 'create' && <NewDestination destinations={destinations} onClose={close} />}
      {window?.open === 'edit' && (
        <EditDestination id={window.id} destinations={destinations} onClose={close} />
      )}
      {window?.open === 'deliveries' && (
        <DeliveriesWindow
          destination={window.destination}
          destinations={destinations}
          onClose={close}
        />
      )}
      {window?.open === 'ask' && <ConfirmDialog question={window.question} onClose={close} />}
    </ListPage>
  );
}

function useColumns(): readonly ListColumn<rest.ExportDestination>[] {
  const timeZone = useTimeZone();
  return useMemo<readonly ListColumn<rest.ExportDestination>[]>(
    () => [
      { title: 'Name', sort: 'name', cell: ({ name }) => name },
      {
        title: 'Delivers to',
        from: 'sm',
        cell: ({ target }) => <span title={placeOf(target)}>{TARGET_WORDS[target.type]}</span>,
      },
      {
        title: 'State',
        cell: (destination) => {
          const { word, tone } = stateOf(destination);
          return (
            <span title={destination.delivery.lastError ?? undefined}>
              <Badge tone={tone}>{word}</Badge>
            </span>
          );
        },
      },
      {
        title: 'Rows that wait',
        from: 'md',
        align: 'right',
        cell: ({ delivery }) => showCount(delivery.waitingRows),
      },
      {
        title: 'Last delivery',
        from: 'md',
        align: 'right',
        cell: ({ delivery }) => (
          <When instant={delivery.lastDeliveredAt} timeZone={timeZone} format="moment" />
        ),
      },
    ],
    [timeZone],
  );
}

interface Acting {
  readonly destinations: Destinations;
  readonly client: RestClient;
  readonly say: ReturnType<typeof useToast>;
  readonly fail: ReturnType<typeof useFailure>;
  readonly open: (window: ExportWindow) => void;
}

function actionsOf(
  destination: rest.ExportDestination,
  { destinations, client, say, fail, open }: Acting,
): readonly MenuAction[] {
  const { id, name, status } = destination;
  const { mayWrite, stale, test, remove } = destinations;
  const deliveries: MenuAction = {
    label: 'See deliveries',
    icon: ListChecks,
    onSelect: () => open({ open: 'deliveries', destination }),
  };
  if (!mayWrite) return [deliveries];
  const ask = (question: Question): void => open({ open: 'ask', question });
  return [
    deliveries,
    {
      label: 'Send a sample',
      icon: Send,
      onSelect: () => {
        test(client, id).then(
          ({ ok, message }) =>
            ok ? say(message) : fail(new ApiError(0, 'test_failed', message), 'Test failed:'),
          (failure: unknown) => fail(failure, 'Test failed:'),
        );
      },
    },
    { label: 'Edit', icon: Pencil, onSelect: () => open({ open: 'edit', id }) },
    status === 'ACTIVE'
      ? pauseAction(destination, destinations, client, ask)
      : resumeAction(destination, destinations, client, ask),
    deleteAction({
      noun: 'destination',
      name,
      consequence: 'What waits is not delivered, and its position is lost. This cannot be undone.',
      run: () => remove(client, id),
      stale,
      ask,
    }),
  ];
}

function pauseAction(
  { id, name }: rest.ExportDestination,
  { setStatus, stale }: Destinations,
  client: RestClient,
  ask: (question: Question) => void,
): MenuAction {
  return {
    label: 'Pause',
    icon: Pause,
    onSelect: () =>
      ask({
        title: `Pause ${name}?`,
        consequence:
          'Nothing is delivered until you resume it. Rows that retention removes meanwhile never arrive.',
        confirm: 'Pause',
        run: () => setStatus(client, id, 'PAUSED'),
        stale,
        done: `${name} is paused.`,
      }),
  };
}

function resumeAction(
  { id, name }: rest.ExportDestination,
  { setStatus, stale }: Destinations,
  client: RestClient,
  ask: (question: Question) => void,
): MenuAction {
  return {
    label: 'Resume',
    icon: Play,
    onSelect: () =>
      ask({
        title: `Resume ${name}?`,
        consequence: 'Delivery continues where it stopped.',
        confirm: 'Resume',
        run: () => setStatus(client, id, 'ACTIVE'),
        stale,
        done: `${name} is active.`,
      }),
  };
}
