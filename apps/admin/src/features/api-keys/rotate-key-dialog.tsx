'use client';

import { rest } from '@tollgate/contracts';
import { useState } from 'react';

import { useRest } from '../../api/provider';
import { FormBody, Window } from '../../resource/form-dialog';
import { useForm } from '../../resource/use-form';
import { KEY_CLOSE_QUESTION, NewKey } from './new-key';

interface RotateKeyDialogProps {
  readonly apiKey: rest.ApiKey;
  readonly onClose: () => void;
}

/** Replaces the secret of a key and shows it, which is only possible now. */
export function RotateKeyDialog({ apiKey, onClose }: RotateKeyDialogProps) {
  const client = useRest();
  const [made, setMade] = useState<rest.ApiKeyWithSecret>();
  const form = useForm<object, rest.ApiKeyWithSecret>({
    initial: {},
    stale: [rest.listApiKeys.id, rest.getApiKey.id],
    send: (_draft, idempotencyKey) =>
      client.call(rest.rotateApiKey, {
        params: { organisationId: apiKey.organisationId, apiKeyId: apiKey.id },
        idempotencyKey,
      }),
    onDone: setMade,
  });
  if (made !== undefined) {
    return (
      <Window
        title="New secret of the key"
        description="Copy the secret now and store it safely. It cannot be shown again."
        closeQuestion={KEY_CLOSE_QUESTION}
        wide
        onClose={onClose}
      >
        <NewKey made={made} onDone={onClose} />
      </Window>
    );
  }
  return (
    <Window
      title={`Replace the secret of ${apiKey.name}?`}
      description="Grants, limits and records do not change. The current secret stops working immediately."
      onClose={onClose}
    >
      <FormBody form={form} fields={[]} submit="Replace secret" onClose={onClose}>
        <p>
          Every application that uses <span className="font-mono">{apiKey.preview}</span> needs the
          new secret before it can go on.
        </p>
      </FormBody>
    </Window>
  );
}
