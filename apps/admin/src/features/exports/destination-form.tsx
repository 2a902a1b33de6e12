'use client';

import { rest } from '@tollgate/contracts';
import { useState } from 'react';

import { Button } from '../../design/button';
import { CodeBlock } from '../../design/code-block';
import { DialogActions, DialogBody } from '../../design/dialog';
import { FormBody, Window } from '../../resource/form-dialog';
import { useSave } from '../../resource/use-save';
import { ReadForEditing } from '../../resource/versioned';
import {
  destinationBodyOf,
  destinationDraftOf,
  destinationPatchOf,
  NEW_DESTINATION,
  type DestinationDraft,
} from './destination-draft';
import { DESTINATION_FIELDS, DestinationFields } from './destination-fields';
import type { Destinations } from './use-destinations';

interface DestinationFormProps {
  readonly destinations: Destinations;
  readonly onClose: () => void;
}

/** Adds a destination, and shows the secret that was generated for it. */
export function NewDestination({ destinations, onClose }: DestinationFormProps) {
  const [secret, setSecret] = useState<string>();
  if (secret !== undefined) {
    return (
      <Window
        title="The signing secret"
        description="The receiver checks signatures with it. Copy it now: it cannot be shown again."
        closeQuestion="Close without copying the secret? It cannot be shown again."
        wide
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
  return (
    <Window
      title="Add an export destination"
      description="Records are delivered there as they are written, at least once each."
      wide
      onClose={onClose}
    >
      <CreateForm destinations={destinations} onSecret={setSecret} onClose={onClose} />
    </Window>
  );
}

function CreateForm({
  destinations: { organisationId, stale },
  onSecret,
  onClose,
}: DestinationFormProps & { readonly onSecret: (secret: string) => void }) {
  const form = useSave<DestinationDraft, rest.ExportDestinationCreated>({
    initial: NEW_DESTINATION,
    stale,
    send: (draft, call) => {
      const body = destinationBodyOf(draft);
      return organisationId === undefined
        ? call(rest.createPlatformExportDestination, { body })
        : call(rest.createExportDestination, { params: { organisationId }, body });
    },
    made: ({ name }) => `${name} added.`,
    onSaved: ({ secret }) => {
      if (secret === null) onClose();
      else onSecret(secret);
    },
  });
  return (
    <FormBody form={form} fields={DESTINATION_FIELDS} submit="Add destination" onClose={onClose}>
      <DestinationFields
        draft={form.draft}
        error={form.error}
        known={undefined}
        onChange={form.change}
      />
    </FormBody>
  );
}

export function EditDestination({
  id,
  destinations,
  onClose,
}: DestinationFormProps & { readonly id: string }) {
  const { organisationId } = destinations;
  const form = (read: { value: rest.ExportDestination; etag: string | undefined }) => (
    <EditForm known={read} destinations={destinations} onClose={onClose} />
  );
  return (
    <Window
      title="Edit export destination"
      description="A batch that waits is sent with the changed settings."
      wide
      onClose={onClose}
    >
      {organisationId === undefined ? (
        <ReadForEditing
          endpoint={rest.getPlatformExportDestination}
          input={{ params: { platformExportDestinationId: id } }}
        >
          {form}
        </ReadForEditing>
      ) : (
        <ReadForEditing
          endpoint={rest.getExportDestination}
          input={{ params: { organisationId, exportDestinationId: id } }}
        >
          {form}
        </ReadForEditing>
      )}
    </Window>
  );
}

interface EditFormProps extends DestinationFormProps {
  readonly known: { readonly value: rest.ExportDestination; readonly etag: string | undefined };
}

function EditForm({ known, destinations: { organisationId, stale }, onClose }: EditFormProps) {
  const { id } = known.value;
  const form = useSave<DestinationDraft, rest.ExportDestination>({
    initial: destinationDraftOf(known.value),
    known,
    stale,
    send: (draft, call) => {
      const body = destinationPatchOf(draft);
      return organisationId === undefined
        ? call(rest.updatePlatformExportDestination, {
            params: { platformExportDestinationId: id },
            body,
          })
        : call(rest.updateExportDestination, {
            params: { organisationId, exportDestinationId: id },
            body,
          });
    },
    onClose,
  });
  return (
    <FormBody form={form} fields={DESTINATION_FIELDS} submit="Save" onClose={onClose}>
      <DestinationFields
        draft={form.draft}
        error={form.error}
        known={known.value}
        onChange={form.change}
      />
    </FormBody>
  );
}
