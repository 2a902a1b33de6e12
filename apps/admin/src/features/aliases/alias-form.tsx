'use client';

import { rest } from '@tollgate/contracts';
import { Plus, Trash2 } from 'lucide-react';

import type { ApiError } from '../../api/rest-client';
import { Button } from '../../design/button';
import { ErrorText } from '../../design/error-text';
import { fieldError } from '../../design/field-error';
import { TextField } from '../../design/text-field';
import { FormBody, Window } from '../../resource/form-dialog';
import { createdText, useSave } from '../../resource/use-save';
import { ReadForEditing } from '../../resource/versioned';
import { useOrganisation } from '../../shell/scope';
import { InstantField } from '../models/instant-field';
import { RetirementFields } from '../models/retirement-fields';
import { ListPicker } from '../pickers/pickers';
import {
  aliasBodyOf,
  aliasDraftOf,
  MAX_TARGETS,
  NEW_ALIAS,
  NEW_TARGET,
  type AliasDraft,
  type TargetDraft,
} from './alias-draft';

interface AliasFormProps {
  /** The alias to edit; absent for a new one. */
  readonly aliasId?: string;
  readonly onClose: () => void;
}

export function AliasForm({ aliasId, onClose }: AliasFormProps) {
  const { id: organisationId } = useOrganisation();
  if (aliasId === undefined) {
    return (
      <Window
        title="Create an alias"
        description="Another name for a model. Keys that may use the model may use the alias."
        wide
        onClose={onClose}
      >
        <Form initial={NEW_ALIAS} onClose={onClose} />
      </Window>
    );
  }
  const params = { organisationId, modelAliasId: aliasId };
  return (
    <Window
      title="Edit alias"
      description="New requests use the changed alias. Running requests are not affected."
      wide
      onClose={onClose}
    >
      <ReadForEditing endpoint={rest.getModelAlias} input={{ params }}>
        {({ value, etag }) => (
          <Form initial={aliasDraftOf(value)} known={{ aliasId, etag }} onClose={onClose} />
        )}
      </ReadForEditing>
    </Window>
  );
}

interface FormProps {
  readonly initial: AliasDraft;
  readonly known?: { readonly aliasId: string; readonly etag: string | undefined };
  readonly onClose: () => void;
}

function Form({ initial, known, onClose }: FormProps) {
  const { id: organisationId } = useOrganisation();
  const form = useSave<AliasDraft, rest.ModelAlias>({
    initial,
    known,
    stale: [rest.listModelAliases.id, rest.getModelAlias.id, rest.listRetirements.id],
    send: (draft, call) => {
      const body = aliasBodyOf(draft);
      if (known === undefined)
        return call(rest.createModelAlias, { params: { organisationId }, body });
      const params = { organisationId, modelAliasId: known.aliasId };
      return call(rest.updateModelAlias, { params, body });
    },
    made: createdText,
    onClose,
  });
  const { change, draft, error, field } = form;
  return (
    <FormBody
      form={form}
      fields={['name', 'displayName', 'targets', 'retirement']}
      submit={known === undefined ? 'Create alias' : 'Save'}
      onClose={onClose}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Name"
          hint="Requests use it in place of a model."
          {...field('name')}
          spellCheck={false}
          maxLength={200}
          autoFocus
        />
        <TextField
          label="Display name"
          optional
          hint="Shown in lists of models."
          {...field('displayName')}
          maxLength={200}
        />
      </div>
      <Targets targets={draft.targets} error={error} onChange={(targets) => change({ targets })} />
      <RetirementFields
        of="alias"
        draft={draft.retirement}
        error={error}
        onChange={(retirement) => change({ retirement })}
      />
    </FormBody>
  );
}

interface TargetsProps {
  readonly targets: readonly TargetDraft[];
  readonly error: ApiError | undefined;
  readonly onChange: (targets: readonly TargetDraft[]) => void;
}

/** Which model the alias stands for, and from when on. */
function Targets({ targets, error, onChange }: TargetsProps) {
  const ofAll = error?.details.find(({ path }) => path === 'targets')?.message;
  return (
    <div className="flex flex-col gap-3">
      {targets.map((target, index) => {
        const change = (part: Partial<TargetDraft>): void =>
          onChange(targets.with(index, { ...target, ...part }));
        const at = `targets[${String(index)}]`;
        const number = String(index + 1);
        return (
          // Targets have no id but their position.
          <fieldset key={index} className="flex flex-col gap-3 rounded-md border p-3">
            <legend className="px-1 text-sm text-ink-soft">Target {number}</legend>
            <ListPicker
              of="models"
              many={false}
              legend={targets.length === 1 ? 'Stands for' : `Stands for, target ${number}`}
              error={fieldError(error, `${at}.modelId`)}
              chosen={target.modelId === undefined ? [] : [target.modelId]}
              onChange={([modelId]) => change({ modelId })}
            />
            <InstantField
              label={targets.length === 1 ? 'From' : `From, target ${number}`}
              hint="Empty: from the beginning. The last target that has begun is in force."
              error={fieldError(error, `${at}.effectiveFrom`)}
              value={target.effectiveFrom}
              onChange={(effectiveFrom) => change({ effectiveFrom })}
            />
            {targets.length > 1 && (
              <Button size="small" onClick={() => onChange(targets.toSpliced(index, 1))}>
                <Trash2 aria-hidden />
                Remove target {number}
              </Button>
            )}
          </fieldset>
        );
      })}
      <ErrorText>{ofAll}</ErrorText>
      {targets.length < MAX_TARGETS && (
        <div>
          <Button size="small" onClick={() => onChange([...targets, NEW_TARGET])}>
            <Plus aria-hidden />
            Add a dated target
          </Button>
        </div>
      )}
    </div>
  );
}
