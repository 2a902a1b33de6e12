'use client';

import { rest } from '@tollgate/contracts';

import { FormBody, Window } from '../../resource/form-dialog';
import { createdText, useSave } from '../../resource/use-save';
import { ReadForEditing } from '../../resource/versioned';
import { useOrganisation } from '../../shell/scope';
import { modelBodyOf, modelDraftOf, NEW_MODEL, settingsOf, type ModelDraft } from './model-draft';
import { MODEL_FIELDS, ModelFields } from './model-fields';

interface ModelFormProps {
  /** The model to edit; absent for a new one. */
  readonly modelId?: string;
  /** The field that gets the focus. */
  readonly focus?: string | undefined;
  readonly onClose: () => void;
}

export function ModelForm({ modelId, focus, onClose }: ModelFormProps) {
  const { id: organisationId } = useOrganisation();
  if (modelId === undefined) {
    return (
      <Window
        title="Create a model"
        description="To add several models at once, import them on their provider’s page."
        wide
        onClose={onClose}
      >
        <Form initial={NEW_MODEL} onClose={onClose} />
      </Window>
    );
  }
  return (
    <Window
      title="Edit model"
      description="Running requests are not affected. Prices are set on the model’s page."
      wide
      onClose={onClose}
    >
      <ReadForEditing endpoint={rest.getModel} input={{ params: { organisationId, modelId } }}>
        {({ value, etag }) => (
          <Form
            initial={modelDraftOf(value)}
            known={{ modelId, etag }}
            focus={focus}
            onClose={onClose}
          />
        )}
      </ReadForEditing>
    </Window>
  );
}

interface FormProps {
  readonly initial: ModelDraft;
  readonly known?: { readonly modelId: string; readonly etag: string | undefined };
  readonly focus?: string | undefined;
  readonly onClose: () => void;
}

function Form({ initial, known, focus, onClose }: FormProps) {
  const { id: organisationId } = useOrganisation();
  const form = useSave<ModelDraft, rest.Model>({
    initial,
    known,
    stale: [
      rest.listRetirements.id,
      rest.listModels.id,
      rest.getModel.id,
      rest.listGrantableModels.id,
    ],
    send: (draft, call) => {
      if (known === undefined) {
        return call(rest.createModel, {
          params: { organisationId },
          body: modelBodyOf(draft),
        });
      }
      const { modelId } = known;
      return call(rest.updateModel, {
        params: { organisationId, modelId },
        body: settingsOf(draft),
      });
    },
    made: createdText,
    onClose,
  });
  return (
    <FormBody
      form={form}
      fields={MODEL_FIELDS}
      submit={known === undefined ? 'Create model' : 'Save'}
      onClose={onClose}
    >
      <ModelFields
        draft={form.draft}
        error={form.error}
        known={known !== undefined}
        focus={focus}
        onChange={form.change}
      />
    </FormBody>
  );
}
