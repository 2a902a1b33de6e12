'use client';

import { useQueryClient } from '@tanstack/react-query';
import { rest } from '@tollgate/contracts';
import { useState, type FormEvent } from 'react';

import { freshKey } from '../../api/idempotency';
import { useRead, useRest } from '../../api/provider';
import { shown, type ApiError } from '../../api/rest-client';
import { Button } from '../../design/button';
import { Dialog, DialogActions, DialogBody } from '../../design/dialog';
import { Failure } from '../../design/failure';
import { hasOtherErrors } from '../../design/field-error';
import { useOrganisation, useScope } from '../../shell/scope';
import { bodyOf, newDraft, type Draft } from './draft';
import { KeyFields } from './key-fields';
import { KEY_CLOSE_QUESTION, NewKey } from './new-key';
import { isUseless } from './useless-key';

const FIELDS = [
  'name',
  'type',
  'teamId',
  'userId',
  'modelIds',
  'modelGrants',
  'mcpServerIds',
  'allowedRegions',
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
  const active = {
    params: { organisationId },
    query: { status: 'ACTIVE', limit: rest.PAGE_LIMIT },
  } as const;
  // Users see the models that they may grant, which says less.
  const knows = me.role !== 'USER';
  const { data: models } = useRead(rest.listModels, active, { enabled: knows });
  const [warned, setWarned] = useState(false);
  const change = (next: Draft): void => {
    setDraft(next);
    setError(undefined);
    setWarned(false);
    setIdempotencyKey(freshKey());
  };

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      // Whoever is faster than the list of models is warned all the same.
      const known =
        models ?? (knows && !warned ? await client.call(rest.listModels, active) : undefined);
      if (!warned && isUseless(draft, known)) {
        setWarned(true);
        setBusy(false);
        return;
      }
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
        <KeyFields draft={draft} error={error} onChange={change} />
        {warned && (
          <UselessKey
            onGrantAll={() => change({ ...draft, grants: { ...draft.grants, all: true } })}
          />
        )}
      </DialogBody>
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="primary" busy={busy}>
          {busy ? 'Creating…' : warned ? 'Create it anyway' : 'Create key'}
        </Button>
      </DialogActions>
    </form>
  );
}

/** Before a key is created that may call nothing. */
function UselessKey({ onGrantAll }: { onGrantAll: () => void }) {
  return (
    <div
      role="alert"
      ref={(shown) => shown?.scrollIntoView({ block: 'nearest' })}
      className="flex flex-col items-start gap-2 rounded-md bg-warn-soft px-4 py-3 text-sm text-warn"
    >
      <p>
        This key may not call any model: every request with it is refused with model_access_denied.
        Grant it a model above, or all of them.
      </p>
      <Button size="small" onClick={onGrantAll}>
        Grant all models
      </Button>
    </div>
  );
}
