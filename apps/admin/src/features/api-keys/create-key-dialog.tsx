'use client';

import { useQueryClient } from '@tanstack/react-query';
import { rest } from '@tollgate/contracts';
import { useState, type FormEvent } from 'react';

import { freshKey } from '../../api/idempotency';
import { useRest } from '../../api/provider';
import { shown, type ApiError } from '../../api/rest-client';
import { Button } from '../../design/button';
import { Dialog, DialogActions, DialogBody } from '../../design/dialog';
import { Failure } from '../../design/failure';
import { hasOtherErrors } from '../../design/field-error';
import { useOrganisation, useScope } from '../../shell/scope';
import { bodyOf, newDraft } from './draft';
import { KeyFields } from './key-fields';
import { KEY_CLOSE_QUESTION, NewKey } from './new-key';

const FIELDS = [
  'name',
  'type',
  'teamId',
  'userId',
  'modelIds',
  'modelGrants',
  'mcpServerIds',
  'expiresAt',
];

interface CreateKeyDialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Creates a key and shows its secret, which is only possible now. */
export function CreateKeyDialog({ open, onOpenChange }: CreateKeyDialogProps) {
  const [made, setMade] = useState<rest.ApiKeyWithSecret>();
  const change = (next: boolean): void => {
    onOpenChange(next);
    if (!next) setMade(undefined);
  };
  return (
    <Dialog
      open={open}
      onOpenChange={change}
      closeQuestion={made === undefined ? undefined : KEY_CLOSE_QUESTION}
      wide
      title={made === undefined ? 'Create an API key' : 'Your new API key'}
      description={
        made === undefined
          ? 'A key may use the models and MCP servers granted to it, within the limits that apply to it.'
          : 'Copy the key now and store it safely. It cannot be shown again.'
      }
    >
      {made === undefined ? (
        <CreateKeyForm onMade={setMade} onCancel={() => change(false)} />
      ) : (
        <NewKey made={made} onDone={() => change(false)} />
      )}
    </Dialog>
  );
}

interface CreateKeyFormProps {
  readonly onMade: (made: rest.ApiKeyWithSecret) => void;
  readonly onCancel: () => void;
}

function CreateKeyForm({ onMade, onCancel }: CreateKeyFormProps) {
  const { me } = useScope();
  const { id: organisationId } = useOrganisation();
  const client = useRest();
  const queries = useQueryClient();
  const [draft, setDraft] = useState(() => newDraft(me));
  const [error, setError] = useState<ApiError>();
  const [busy, setBusy] = useState(false);
  // The same draft sent twice creates one key.
  const [idempotencyKey, setIdempotencyKey] = useState(freshKey);

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const body = bodyOf(draft, Date.now());
      const params = { organisationId };
      const made = await client.call(rest.createApiKey, { params, body, idempotencyKey });
      await queries.invalidateQueries({ queryKey: [rest.listApiKeys.id] });
      onMade(made);
    } catch (failure) {
      setError(shown(failure));
      setBusy(false);
    }
  };

  return (
    <form onSubmit={(event) => void submit(event)} noValidate className="flex min-h-0 flex-col">
      <DialogBody>
        {error !== undefined && hasOtherErrors(error, FIELDS) && <Failure error={error} />}
        <KeyFields
          draft={draft}
          error={error}
          onChange={(next) => {
            setDraft(next);
            setError(undefined);
            setIdempotencyKey(freshKey());
          }}
        />
      </DialogBody>
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="primary" busy={busy}>
          {busy ? 'Creating…' : 'Create key'}
        </Button>
      </DialogActions>
    </form>
  );
}
