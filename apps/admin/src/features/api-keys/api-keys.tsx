'use client';

import { API_KEY_TYPES, rest } from '@tollgate/contracts';
import { Ban, KeyRound } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useState } from 'react';

import { useRest } from '../../api/provider';
import { plural } from '../../format/numbers';
import type { BulkAction } from '../../resource/bulk';
import { ListPage } from '../../resource/list-page';
import { Narrowings } from '../../resource/narrowings';
import { sourceOf } from '../../resource/source';
import { useMay, useOrganisation } from '../../shell/scope';
import { useKeyColumns } from './columns';
import { keyActions, KeyWindows, REVOKED, type KeyWindow } from './key-actions';

const CreateKeyDialog = dynamic(
  () => import('./create-key-dialog').then((module) => module.CreateKeyDialog),
  { ssr: false },
);

/** The organisation's API keys that the user may see. */
export function ApiKeys() {
  const { id: organisationId } = useOrganisation();
  const client = useRest();
  const columns = useKeyColumns();
  const mayWrite = useMay('apikeys.write');
  const [creating, setCreating] = useState(false);
  const [window, setWindow] = useState<KeyWindow>();
  const revoke: BulkAction<rest.ApiKey> = {
    label: 'Revoke',
    icon: Ban,
    title: (count) => `Revoke ${plural(count, 'key')}?`,
    done: (count) => `${plural(count, 'key')} revoked.`,
    consequence: REVOKED,
    applies: ({ status }) => status !== 'REVOKED',
    run: ({ id: apiKeyId }) =>
      client.call(rest.revokeApiKey, { params: { organisationId, apiKeyId } }),
  };
  return (
    <ListPage
      title="API keys"
      description="Applications authenticate with an API key. A key may use the models granted to it."
      create={mayWrite && { label: 'Create key', onSelect: () => setCreating(true) }}
      above={<Narrowings of={NARROWED_BY} />}
      source={sourceOf(rest.listApiKeys, { organisationId })}
      columns={columns}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      search="Search name or preview"
      filters={[
        {
          name: 'status',
          label: 'Status',
          any: 'Any status',
          values: rest.API_KEY_STATUSES,
        },
        { name: 'type', label: 'Type', any: 'Any type', values: API_KEY_TYPES },
      ]}
      actions={mayWrite && ((key) => keyActions(key, setWindow))}
      bulk={mayWrite && [revoke]}
      empty={{
        icon: KeyRound,
        title: 'No API keys yet',
        text: 'Create a key, grant it a model, and configure an application to use it.',
      }}
    >
      {creating && <CreateKeyDialog open onOpenChange={setCreating} />}
      <KeyWindows window={window} onClose={() => setWindow(undefined)} />
    </ListPage>
  );
}

const NARROWED_BY = [
  { name: 'teamId', label: 'One team' },
  { name: 'userId', label: 'One user' },
] as const;
