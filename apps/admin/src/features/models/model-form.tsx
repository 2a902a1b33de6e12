'use client';

import { rest } from '@tollgate/contracts';
import { useRest } from '../../api/provider';
import { useToast } from '../../design/toast';
import { FormBody, Window } from '../../resource/form-dialog';
import { useForm } from '../../resource/use-form';
import { ReadForEditing } from '../../resource/versioned';
import { useOrganisation } from '../../shell/scope';
import { modelBodyOf, modelDraftOf, NEW_MODEL, settingsOf, type ModelDraft } from './model-draft';
import { ModelFields, MODEL_FIELDS } from './model-fields';

type ModelFormProps = {
  /** The model that is changed; without it a new one is made. */
  readonly modelId?: string;
  readonly onClose: () => void;
};

export function ModelForm({ modelId, onClose }: ModelFormProps) {
  const { id: organisationId } = useOrganisation();
  if (modelId === undefined) {
    return (
      <Window
        title="Create a model"
        description="To take over many at once, import them at their provider."
        wide
        onClose={onClose}
      >
        <Form initial={NEW_MODEL} onClose={onClose} />
      </Window>
    );
  }
  return (
    <Window
      title="Change the model"
      description="Running requests finish as they began. Prices are set on its page."
      wide
      onClose={onClose}
    >
      <ReadForEditing endpoint={rest.getModel} input={{ params: { organisationId, modelId } }}>
        {({ value, etag }) => (
          <Form initial={modelDraftOf(value)} known={{ modelId, etag }} onClose={onClose} />
        )}
      </ReadForEditing>
    </Window>
  );
}

type FormProps = {
  readonly initial: ModelDraft;
  readonly known?: { readonly modelId: string; readonly etag: string | undefined };
  readonly onClose: () => void;
};

function Form({ initial, known, onClose }: FormProps) {
  const { id: organisationId } = useOrganisation();
  const client = useRest();
  const say = useToast();
  const form = useForm<ModelDraft, rest.Model>({
    initial,
    stale: [rest.listModels.id, rest.getModel.id, rest.listGrantableModels.id],
    send: (draft, idempotencyKey) => {
      if (known === undefined) {
        return client.call(rest.createModel, {
          params: { organisationId },
          body: modelBodyOf(draft),
          idempotencyKey,
        });
      }
      const { modelId, etag } = known;
      return client.call(rest.updateModel, {
        params: { organisationId, modelId },
        body: settingsOf(draft),
        ...(etag === undefined ? {} : { ifMatch: etag }),
      });
    },
    onDone: (saved) => {
      say(known === undefined ? `${saved.name} is there.` : 'Saved.');
      onClose();
    },
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
        onChange={form.change}
      />
    </FormBody>
  );
}
