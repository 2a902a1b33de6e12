'use client';

import type { rest } from '@tollgate/contracts';
import { KeyRound, Pencil, Send } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';

import { useRest } from '../../api/provider';
import { ApiError } from '../../api/rest-client';
import { Badge } from '../../design/badge';
import type { MenuAction } from '../../design/menu';
import { useFailure, useToast } from '../../design/toast';
import { deleteAction } from '../../resource/actions';
import type { ListColumn } from '../../resource/columns-menu';
import { ConfirmDialog, type Question } from '../../resource/confirm-dialog';
import { ListPage } from '../../resource/list-page';
import { STALE_DESTINATIONS, useAlertApi, useMayWriteAlerts } from './alert-api';
import { DestinationForm, SecretWindow } from './destination-form';
import { DESTINATION_WORDS } from './words';

type DestinationWindow =
  | { readonly open: 'create' }
  | { readonly open: 'edit'; readonly destination: rest.AlertDestination }
  | { readonly open: 'secret'; readonly secret: string }
  | { readonly open: 'ask'; readonly question: Question };

/** Where messages of alerts go. */
export function Destinations({ above }: { readonly above: ReactNode }) {
  const api = useAlertApi();
  const mayWrite = useMayWriteAlerts();
  const [window, setWindow] = useState<DestinationWindow>();
  const close = (): void => setWindow(undefined);
  const actionsOf = useActions(setWindow);
  return (
    <ListPage
      title="Alert destinations"
      heading="Alerts"
      description="What your rules have raised, and whether the messages arrived."
      create={
        mayWrite && { label: 'Add destination', onSelect: () => setWindow({ open: 'create' }) }
      }
      above={above}
      source={api.destinations}
      columns={useDestinationColumns()}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      actions={mayWrite && actionsOf}
      empty={{
        icon: Send,
        title: 'No destinations yet',
        text: 'Add an email address, a webhook or a Slack channel, then choose it in a rule.',
      }}
    >
      {window?.open === 'create' && (
        <DestinationForm
          onClose={close}
          onSecret={(secret) => setWindow({ open: 'secret', secret })}
        />
      )}
      {window?.open === 'edit' && (
        <DestinationForm destination={window.destination} onClose={close} />
      )}
      {window?.open === 'secret' && <SecretWindow secret={window.secret} onClose={close} />}
      {window?.open === 'ask' && <ConfirmDialog question={window.question} onClose={close} />}
    </ListPage>
  );
}

function useActions(open: (window: DestinationWindow) => void) {
  const api = useAlertApi();
  const client = useRest();
  const say = useToast();
  const fail = useFailure();
  const test = async (destination: rest.AlertDestination): Promise<void> => {
    try {
      const { delivered, error } = await api.test(client, destination.id);
      if (delivered) say(`Test delivered to ${destination.name}.`);
      else fail(new ApiError(0, 'test_failed', error ?? 'No reason is known.'), 'Test failed:');
    } catch (failure) {
      fail(failure, 'Test failed:');
    }
  };
  return (destination: rest.AlertDestination): readonly MenuAction[] => {
    const { id, kind, name } = destination;
    const rotate: MenuAction = {
      label: 'Replace secret',
      icon: KeyRound,
      onSelect: () =>
        open({
          open: 'ask',
          question: {
            title: `Replace the secret of ${name}?`,
            consequence:
              'Messages are signed with the new secret at once. Enter it at the receiver.',
            confirm: 'Replace secret',
            run: async () => {
              const { secret } = await api.rotateSecret(client, id);
              if (secret !== null) setTimeout(() => open({ open: 'secret', secret }));
            },
            stale: STALE_DESTINATIONS,
            done: 'Secret replaced.',
          },
        }),
    };
    return [
      { label: 'Send a test', icon: Send, onSelect: () => void test(destination) },
      { label: 'Edit', icon: Pencil, onSelect: () => open({ open: 'edit', destination }) },
      ...(kind === 'WEBHOOK' ? [rotate] : []),
      deleteAction({
        noun: 'destination',
        name,
        consequence: 'Rules lose it, and messages that wait for it are given up.',
        run: () => api.deleteDestination(client, id),
        stale: STALE_DESTINATIONS,
        ask: (question) => open({ open: 'ask', question }),
      }),
    ];
  };
}

function useDestinationColumns(): readonly ListColumn<rest.AlertDestination>[] {
  return useMemo<readonly ListColumn<rest.AlertDestination>[]>(
    () => [
      { title: 'Name', sort: 'name', cell: ({ name }) => name },
      { title: 'Kind', cell: ({ kind }) => DESTINATION_WORDS[kind] },
      {
        title: 'Address',
        from: 'sm',
        cell: ({ email, secretPreview, url }) => (
          <span className="break-words">{email ?? url ?? secretPreview}</span>
        ),
      },
      {
        title: 'Status',
        from: 'sm',
        cell: ({ status }) =>
          status === 'ACTIVE' ? <Badge tone="good">On</Badge> : <Badge>Off</Badge>,
      },
    ],
    [],
  );
}
