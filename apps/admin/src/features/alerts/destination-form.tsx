'use client';

import { ALERT_DESTINATION_KINDS, type AlertDestinationKind, type rest } from '@tollgate/contracts';

import { Button } from '../../design/button';
import { CodeBlock } from '../../design/code-block';
import { DialogActions, DialogBody } from '../../design/dialog';
import { Switch } from '../../design/switch';
import { SelectField, TextField } from '../../design/text-field';
import { FormBody, Window } from '../../resource/form-dialog';
import { useSave } from '../../resource/use-save';
import { STALE_DESTINATIONS, useAlertApi } from './alert-api';
import { DESTINATION_WORDS } from './words';

interface Draft {
  readonly kind: AlertDestinationKind;
  readonly name: string;
  readonly email: string;
  readonly url: string;
  readonly active: boolean;
}

interface DestinationFormProps {
  /** The destination to edit; absent for a new one. */
  readonly destination?: rest.AlertDestination;
  /** Called with the signing secret of a new webhook. */
  readonly onSecret?: (secret: string) => void;
  readonly onClose: () => void;
}

export function DestinationForm({ destination, onSecret, onClose }: DestinationFormProps) {
  const api = useAlertApi();
  const form = useSave<Draft, { name: string; secret: string | null }>({
    initial: draftOf(destination),
    known: destination && { etag: undefined },
    stale: STALE_DESTINATIONS,
    send: async (draft, call) => {
      if (destination === undefined) {
        const made = await api.createDestination({ call }, bodyOf(draft));
        return { name: made.destination.name, secret: made.secret };
      }
      const { name } = await api.updateDestination({ call }, destination.id, patchOf(draft));
      return { name, secret: null };
    },
    made: ({ name }) => `${name} added.`,
    onClose,
    onSaved: ({ secret }) => {
      if (secret !== null) onSecret?.(secret);
    },
  });
  const { kind } = form.draft;
  return (
    <Window
      title={destination === undefined ? 'Add a destination' : 'Edit the destination'}
      description="Messages are sent again for hours until they arrive."
      onClose={onClose}
    >
      <FormBody
        form={form}
        fields={['name', 'kind', 'email', 'url']}
        submit={destination === undefined ? 'Add destination' : 'Save'}
        onClose={onClose}
      >
        <SelectField
          label="Kind"
          {...form.field('kind')}
          disabled={destination !== undefined}
          choices={ALERT_DESTINATION_KINDS.map((value) => ({
            value,
            label: DESTINATION_WORDS[value],
          }))}
        />
        <TextField label="Name" {...form.field('name')} maxLength={200} autoFocus />
        {kind === 'EMAIL' ? (
          <TextField label="Email address" {...form.field('email')} type="email" />
        ) : (
          <TextField
            label="URL"
            {...form.field('url')}
            hint={URL_HINTS[kind]}
            optional={destination?.kind === 'SLACK'}
          />
        )}
        {destination !== undefined && (
          <Switch
            label="Gets messages"
            checked={form.draft.active}
            onChange={(active) => form.change({ active })}
          />
        )}
      </FormBody>
    </Window>
  );
}

const URL_HINTS = {
  WEBHOOK: 'Gets JSON, signed as Standard Webhooks say.',
  SLACK:
    'An incoming webhook of Slack, or of a service that takes its format. It is stored encrypted.',
} as const;

function draftOf(destination: rest.AlertDestination | undefined): Draft {
  const {
    kind = 'EMAIL',
    name = '',
    email = null,
    url = null,
    status = 'ACTIVE',
  } = destination ?? {};
  return { kind, name, email: email ?? '', url: url ?? '', active: status === 'ACTIVE' };
}

function bodyOf({ kind, name, email, url }: Draft) {
  return kind === 'EMAIL' ? { kind, name, email } : { kind, name, url };
}

/** An empty URL of Slack, which is never shown, stays as it is. */
function patchOf({ kind, name, email, url, active }: Draft) {
  const status = active ? ('ACTIVE' as const) : ('DISABLED' as const);
  if (kind === 'EMAIL') return { name, status, email };
  return kind === 'SLACK' && url.trim() === '' ? { name, status } : { name, status, url };
}

/** The signing secret, which is shown once. */
export function SecretWindow({
  secret,
  onClose,
}: {
  readonly secret: string;
  readonly onClose: () => void;
}) {
  return (
    <Window
      title="The signing secret"
      description="Enter it at the receiver. It is shown only now."
      closeQuestion="Close without copying the secret? It cannot be shown again."
      onClose={onClose}
    >
      <DialogBody>
        <CodeBlock label="Signing secret" text={secret} />
      </DialogBody>
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          I have copied it
        </Button>
      </DialogActions>
    </Window>
  );
}
