'use client';

import { rest } from '@tollgate/contracts';
import { Activity, Download, Pencil } from 'lucide-react';

import type { RestClient } from '../../api/rest-client';
import type { MenuAction } from '../../design/menu';
import { deleteAction, turnAction } from '../../resource/actions';
import { ConfirmDialog, type Question } from '../../resource/confirm-dialog';
import { ConnectionTest } from './connection-test';
import { ImportModels } from './import-models';
import { ProviderForm } from './provider-form';

/** The open dialog. */
export type ProviderWindow =
  | { readonly open: 'create' }
  | { readonly open: 'edit' | 'test' | 'import'; readonly provider: rest.Provider }
  | { readonly open: 'ask'; readonly question: Question };

interface ActionsOf {
  readonly provider: rest.Provider;
  readonly client: RestClient;
  readonly open: (window: ProviderWindow) => void;
  /** Called after the deletion. */
  readonly onDeleted?: () => void;
}

/** Actions of a provider. */
export function providerActions(of: ActionsOf): readonly MenuAction[] {
  const { provider, client, open, onDeleted } = of;
  const { id: providerId, organisationId, name, status } = provider;
  const params = { organisationId, providerId };
  const ask = (question: Question): void => open({ open: 'ask', question });
  return [
    {
      label: 'Test connection',
      icon: Activity,
      onSelect: () => open({ open: 'test', provider }),
    },
    {
      label: 'Import models',
      icon: Download,
      onSelect: () => open({ open: 'import', provider }),
    },
    { label: 'Edit', icon: Pencil, onSelect: () => open({ open: 'edit', provider }) },
    turnAction({
      noun: 'provider',
      name,
      client,
      status,
      set: (next) => [rest.updateProvider, { params, body: { status: next } }],
      consequence: {
        on: 'Its models accept requests again.',
        off: 'Its models accept no new requests until it is turned on again. Running requests finish.',
      },
      stale: STALE,
      ask,
    }),
    deleteAction({
      noun: 'provider',
      name,
      consequence:
        'Deletes its keys. Recorded usage is kept. Delete or move its models first. This cannot be undone.',
      run: () => client.call(rest.deleteProvider, { params }),
      stale: [rest.listProviders.id],
      onDone: onDeleted,
      ask,
    }),
  ];
}

const STALE = [rest.listProviders.id, rest.getProvider.id];

interface ProviderWindowsProps {
  readonly window: ProviderWindow | undefined;
  readonly onChange: (window: ProviderWindow | undefined) => void;
  readonly onMade?: (provider: rest.Provider) => void;
}

export function ProviderWindows({ window, onChange, onMade }: ProviderWindowsProps) {
  const close = (): void => onChange(undefined);
  if (window === undefined) return null;
  switch (window.open) {
    case 'create':
      return <ProviderForm onClose={close} {...(onMade && { onMade })} />;
    case 'edit':
      return <ProviderForm providerId={window.provider.id} onClose={close} />;
    case 'test':
      return (
        <ConnectionTest
          provider={window.provider}
          onEdit={() => onChange({ open: 'edit', provider: window.provider })}
          onClose={close}
        />
      );
    case 'import':
      return <ImportModels provider={window.provider} onClose={close} />;
    case 'ask':
      return <ConfirmDialog question={window.question} onClose={close} />;
  }
}
