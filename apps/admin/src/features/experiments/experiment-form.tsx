'use client';

import { EXPERIMENT_NAME_CHARACTERS, MODEL_NAME_CHARACTERS, rest } from '@tollgate/contracts';
import { Plus, Trash2 } from 'lucide-react';

import type { ApiError } from '../../api/rest-client';
import { Button } from '../../design/button';
import { ErrorText } from '../../design/error-text';
import { fieldError } from '../../design/field-error';
import { SelectField, TextField } from '../../design/text-field';
import { FormBody, Window } from '../../resource/form-dialog';
import { createdText, useSave } from '../../resource/use-save';
import { ReadForEditing } from '../../resource/versioned';
import { useOrganisation } from '../../shell/scope';
import { InstantField } from '../models/instant-field';
import { ListPicker } from '../pickers/pickers';
import {
  experimentBodyOf,
  experimentDraftOf,
  MAX_ARMS,
  NEW_ARM,
  NEW_EXPERIMENT,
  STATUS_CHOICES,
  type ArmDraft,
  type ExperimentDraft,
} from './experiment-draft';
import { ShadowFields } from './shadow-fields';

interface ExperimentFormProps {
  /** The experiment to edit; absent for a new one. */
  readonly experimentId?: string;
  readonly onClose: () => void;
}

export function ExperimentForm({ experimentId, onClose }: ExperimentFormProps) {
  const { id: organisationId } = useOrganisation();
  if (experimentId === undefined) {
    return (
      <Window
        title="Create an experiment"
        description="Splits the requests for a name between models. A conversation stays with one model."
        wide
        onClose={onClose}
      >
        <Form initial={NEW_EXPERIMENT} onClose={onClose} />
      </Window>
    );
  }
  return (
    <Window
      title="Edit experiment"
      description="With changed shares, few conversations change their model."
      wide
      onClose={onClose}
    >
      <ReadForEditing
        endpoint={rest.getExperiment}
        input={{ params: { organisationId, experimentId } }}
      >
        {({ value, etag }) => (
          <Form
            initial={experimentDraftOf(value)}
            known={{ experimentId, etag }}
            onClose={onClose}
          />
        )}
      </ReadForEditing>
    </Window>
  );
}

interface FormProps {
  readonly initial: ExperimentDraft;
  readonly known?: { readonly experimentId: string; readonly etag: string | undefined };
  readonly onClose: () => void;
}

function Form({ initial, known, onClose }: FormProps) {
  const { id: organisationId } = useOrganisation();
  const form = useSave<ExperimentDraft, rest.Experiment>({
    initial,
    known,
    stale: [rest.listExperiments.id, rest.getExperiment.id, rest.compareExperiment.id],
    send: (draft, call) => {
      const body = experimentBodyOf(draft);
      if (known === undefined) {
        const created = { ...body, model: draft.model.trim() };
        return call(rest.createExperiment, { params: { organisationId }, body: created });
      }
      const params = { organisationId, experimentId: known.experimentId };
      return call(rest.updateExperiment, { params, body });
    },
    made: createdText,
    onClose,
  });
  const { change, draft, error, field } = form;
  return (
    <FormBody
      form={form}
      fields={['name', 'model', 'arms', 'shadow', 'status', 'startsAt', 'endsAt']}
      submit={known === undefined ? 'Create experiment' : 'Save'}
      onClose={onClose}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Name"
          hint="Lower-case letters and digits, with inner dots, hyphens or underscores. Answers have it in the header x-tollgate-experiment."
          {...field('name')}
          spellCheck={false}
          maxLength={EXPERIMENT_NAME_CHARACTERS}
          autoFocus
        />
        <TextField
          label="Requests for"
          hint="The name of a model or an alias."
          {...field('model')}
          spellCheck={false}
          maxLength={MODEL_NAME_CHARACTERS}
          disabled={known !== undefined}
        />
      </div>
      <Arms arms={draft.arms} error={error} onChange={(arms) => change({ arms })} />
      <ShadowFields shadow={draft.shadow} error={error} onChange={(shadow) => change({ shadow })} />
      <SelectField
        label="Status"
        error={fieldError(error, 'status')}
        value={draft.status}
        choices={STATUS_CHOICES}
        onChange={(status) => change({ status })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <InstantField
          label="Starts"
          error={fieldError(error, 'startsAt')}
          value={draft.startsAt}
          onChange={(startsAt) => change({ startsAt })}
        />
        <InstantField
          label="Ends"
          error={fieldError(error, 'endsAt')}
          value={draft.endsAt}
          onChange={(endsAt) => change({ endsAt })}
        />
      </div>
    </FormBody>
  );
}

interface ArmsProps {
  readonly arms: readonly ArmDraft[];
  readonly error: ApiError | undefined;
  readonly onChange: (arms: readonly ArmDraft[]) => void;
}

function Arms({ arms, error, onChange }: ArmsProps) {
  const ofAll = error?.details.find(({ path }) => path === 'arms')?.message;
  return (
    <div className="flex flex-col gap-3">
      {arms.map((arm, index) => {
        const change = (part: Partial<ArmDraft>): void =>
          onChange(arms.with(index, { ...arm, ...part }));
        const at = `arms[${String(index)}]`;
        const number = String(index + 1);
        return (
          // Arms have no id but their position.
          <fieldset key={index} className="flex flex-col gap-3 rounded-md border p-3">
            <legend className="px-1 text-sm text-ink-soft">Arm {number}</legend>
            <div className="grid gap-4 sm:grid-cols-2">
              <TextField
                label={`Name of arm ${number}`}
                error={fieldError(error, `${at}.name`)}
                value={arm.name}
                onChange={(name) => change({ name })}
                spellCheck={false}
                maxLength={EXPERIMENT_NAME_CHARACTERS}
              />
              <TextField
                label={`Share of arm ${number} in %`}
                error={fieldError(error, `${at}.share`)}
                value={arm.share}
                onChange={(share) => change({ share })}
                inputMode="numeric"
                maxLength={3}
              />
            </div>
            <ListPicker
              of="models"
              many={false}
              legend={`Model of arm ${number}`}
              error={fieldError(error, `${at}.modelId`)}
              chosen={arm.modelId === undefined ? [] : [arm.modelId]}
              onChange={([modelId]) => change({ modelId })}
            />
            {arms.length > 1 && (
              <Button size="small" onClick={() => onChange(arms.toSpliced(index, 1))}>
                <Trash2 aria-hidden />
                Remove arm {number}
              </Button>
            )}
          </fieldset>
        );
      })}
      <ErrorText>{ofAll}</ErrorText>
      {arms.length < MAX_ARMS && (
        <div>
          <Button size="small" onClick={() => onChange([...arms, NEW_ARM])}>
            <Plus aria-hidden />
            Add an arm
          </Button>
        </div>
      )}
    </div>
  );
}
