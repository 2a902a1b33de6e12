'use client';

import { rest } from '@tollgate/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { useRest } from '../../api/provider';
import { shown, type ApiError } from '../../api/rest-client';
import { Button } from '../../design/button';
import { AlertDialog, DialogActions, DialogBody } from '../../design/dialog';
import { Failure } from '../../design/failure';
import { Field, TextInput } from '../../design/field';
import { useToast } from '../../design/toast';

type RevokeKeyDialogProps = {
  readonly apiKey: rest.ApiKey;
  readonly onClose: () => void;
};

/** Revoking is for good, so the key's name has to be typed. */
export function RevokeKeyDialog({ apiKey, onClose }: RevokeKeyDialogProps) {
  const client = useRest();
  const queries = useQueryClient();
  const say = useToast();
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<ApiError>();
  const [busy, setBusy] = useState(false);
  const named = typed.trim() === apiKey.name.trim();

  const revoke = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!named || busy) return;
    setBusy(true);
    setError(undefined);
    try {
      const { organisationId, id: apiKeyId } = apiKey;
      await client.call(rest.revokeApiKey, { params: { organisationId, apiKeyId } });
      await queries.invalidateQueries({ queryKey: [rest.listApiKeys.id] });
      say(`${apiKey.name} is revoked.`);
      onClose();
    } catch (failure) {
      setError(shown(failure));
      setBusy(false);
    }
  };

  return (
    <AlertDialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={`Revoke ${apiKey.name}?`}
      description="Every request with this key is refused from now on. This cannot be undone."
    >
      <form onSubmit={(event) => void revoke(event)}>
        <DialogBody>
          {error !== undefined && <Failure error={error} />}
          <Field label={`Type “${apiKey.name}” to confirm`}>
            {(props) => (
              <TextInput
                {...props}
                value={typed}
                onChange={(event) => setTyped(event.target.value)}
                autoComplete="off"
                spellCheck={false}
                autoFocus
              />
            )}
          </Field>
        </DialogBody>
        <DialogActions>
          <Button onClick={onClose}>Keep the key</Button>
          <Button type="submit" look="danger" disabled={!named} busy={busy}>
            {busy ? 'Revoking…' : 'Revoke key'}
          </Button>
        </DialogActions>
      </form>
    </AlertDialog>
  );
}
