'use client';

import { rest } from '@tollgate/contracts';
import { Activity, Hourglass, KeyRound, Pencil, Plus, Power, RotateCw } from 'lucide-react';
import { useMemo, useState } from 'react';

import { useRest } from '../../api/provider';
import type { RestClient } from '../../api/rest-client';
import { Badge, type Tone } from '../../design/badge';
import { Button } from '../../design/button';
import { Empty } from '../../design/empty';
import type { MenuAction } from '../../design/menu';
import { When } from '../../design/when';
import { sentence } from '../../format/words';
import { deleteAction } from '../../resource/actions';
import type { ListColumn } from '../../resource/columns-menu';
import { ConfirmDialog, type Question } from '../../resource/confirm-dialog';
import { ResourceList } from '../../resource/resource-list';
import { reversible } from '../../resource/reversible';
import { sourceOf } from '../../resource/source';
import { useMay, useOrganisation } from '../../shell/scope';
import { ConnectionTest } from './connection-test';
import { EditProviderKey, NewProviderKey } from './key-forms';

interface ProviderKeysProps {
  readonly provider: rest.Provider;
  readonly onEditProvider: () => void;
}

type KeyWindow =
  | { readonly open: 'add' }
  | { readonly open: 'edit' | 'replace' | 'test'; readonly providerKey: rest.ProviderKey }
  | { readonly open: 'ask'; readonly question: Question };

/** The keys of a provider. Requests are distributed among the active ones. */
export function ProviderKeys({ provider, onEditProvider }: ProviderKeysProps) {
  const client = useRest();
  const mayWrite = useMay('providers.write');
  const columns = useColumns();
  const [window, setWindow] = useState<KeyWindow>();
  const add = mayWrite && (
    <Button onClick={() => setWindow({ open: 'add' })}>
      <Plus aria-hidden />
      Add key
    </Button>
  );
  const { organisationId, id: providerId } = provider;
  return (
    <>
      <ResourceList
        title="Keys"
        source={sourceOf(rest.listProviderKeys, { organisationId, providerId })}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        search="Search name"
        filters={[
          {
            name: 'status',
            label: 'Status',
            any: 'Any status',
            values: rest.PROVIDER_KEY_STATUSES,
          },
        ]}
        tools={add}
        actions={mayWrite && ((key) => actionsOf(provider, key, client, setWindow))}
        empty={
          <Empty icon={KeyRound} title="No keys yet" action={add}>
            Most upstreams require a key. With several keys, requests are distributed by weight.
          </Empty>
        }
      />
      <KeyWindows
        provider={provider}
        window={window}
        onEditProvider={onEditProvider}
        onClose={() => setWindow(undefined)}
      />
    </>
  );
}

const STALE = [rest.listProviderKeys.id, rest.getProvider.id, rest.listProviders.id];

const TURNED: Readonly<
  Record<rest.ProviderKeyStatus, { label: string; consequence: string; done: string }>
> = {
  ACTIVE: {
    label: 'Turn on',
    consequence: 'New requests use this key again, in proportion to its weight.',
    done: 'is on.',
  },
  DRAINING: {
    label: 'Drain',
    consequence: 'New requests do not use this key. Running requests finish with it.',
    done: 'is draining.',
  },
  DISABLED: {
    label: 'Turn off',
    consequence: 'No request uses this key until it is turned on again.',
    done: 'is off.',
  },
};

function actionsOf(
  { organisationId, id: providerId }: rest.Provider,
  providerKey: rest.ProviderKey,
  client: RestClient,
  open: (window: KeyWindow) => void,
): readonly MenuAction[] {
  const { id: keyId, name, status } = providerKey;
  const params = { organisationId, providerId, keyId };
  const turn = (next: rest.ProviderKeyStatus, icon: typeof Power): MenuAction[] => {
    const { label, consequence, done } = TURNED[next];
    const question: Question = {
      title: `${label} ${name}?`,
      consequence,
      confirm: label,
      ...reversible(
        client,
        [rest.updateProviderKey, { params, body: { status: next } }],
        [rest.updateProviderKey, { params, body: { status } }],
        `${name} ${TURNED[status].done}`,
      ),
      stale: STALE,
      done: `${name} ${done}`,
    };
    return next === status
      ? []
      : [{ label, icon, onSelect: () => open({ open: 'ask', question }) }];
  };
  return [
    { label: 'Test', icon: Activity, onSelect: () => open({ open: 'test', providerKey }) },
    { label: 'Edit', icon: Pencil, onSelect: () => open({ open: 'edit', providerKey }) },
    ...(status === 'ACTIVE'
      ? [
          {
            label: 'Replace',
            icon: RotateCw,
            onSelect: () => open({ open: 'replace', providerKey }),
          },
        ]
      : []),
    ...turn('ACTIVE', Power),
    ...(status === 'ACTIVE' ? turn('DRAINING', Hourglass) : []),
    ...turn('DISABLED', Power),
    deleteAction({
      noun: 'key',
      name,
      consequence: 'No request can use this key any more. This cannot be undone.',
      run: () => client.call(rest.deleteProviderKey, { params }),
      stale: STALE,
      ask: (question) => open({ open: 'ask', question }),
    }),
  ];
}

type KeyWindowsProps = ProviderKeysProps & {
  readonly window: KeyWindow | undefined;
  readonly onClose: () => void;
};

function KeyWindows({ provider, window, onEditProvider, onClose }: KeyWindowsProps) {
  if (window === undefined) return null;
  switch (window.open) {
    case 'add':
      return <NewProviderKey provider={provider} stale={STALE} onClose={onClose} />;
    case 'replace':
      return (
        <NewProviderKey
          provider={provider}
          replaces={window.providerKey}
          stale={STALE}
          onClose={onClose}
        />
      );
    case 'edit':
      return (
        <EditProviderKey
          provider={provider}
          keyId={window.providerKey.id}
          stale={STALE}
          onClose={onClose}
        />
      );
    case 'test':
      return (
        <ConnectionTest
          provider={provider}
          providerKey={window.providerKey}
          onEdit={() => {
            onClose();
            onEditProvider();
          }}
          onClose={onClose}
        />
      );
    case 'ask':
      return <ConfirmDialog question={window.question} onClose={onClose} />;
  }
}

const TONES: Readonly<Record<rest.ProviderKeyStatus, Tone>> = {
  ACTIVE: 'good',
  DRAINING: 'warn',
  DISABLED: 'neutral',
};

function useColumns(): readonly ListColumn<rest.ProviderKey>[] {
  const { timeZone } = useOrganisation();
  return useMemo<readonly ListColumn<rest.ProviderKey>[]>(
    () => [
      {
        title: 'Name',
        sort: 'name',
        cell: ({ name, preview }) => (
          <>
            <span className="block break-words">{name}</span>
            <span className="block font-mono text-xs font-normal text-ink-faint">{preview}</span>
          </>
        ),
      },
      { title: 'Weight', align: 'right', cell: ({ weight }) => weight },
      {
        title: 'Status',
        cell: ({ status }) => <Badge tone={TONES[status]}>{sentence(status)}</Badge>,
      },
      {
        title: 'Since',
        from: 'sm',
        align: 'right',
        cell: ({ statusSince }) => <When instant={statusSince} timeZone={timeZone} />,
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
