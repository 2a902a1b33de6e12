'use client';

import { rest } from '@tollgate/contracts';

import { Button } from '../../design/button';
import { FormBody, OtherErrors, Window } from '../../resource/form-dialog';
import { createdText, useSave } from '../../resource/use-save';
import { ReadForEditing } from '../../resource/versioned';
import { useOrganisation } from '../../shell/scope';
import { TestResult } from './connection-test';
import { bodyOf, draftOf, NEW_PROVIDER, patchOf, type Draft } from './provider-draft';
import { PROVIDER_FORM_FIELDS, ProviderFields } from './provider-fields';
import { useDraftTest } from './use-draft-test';

interface ProviderFormProps {
  /** The provider to edit; absent for a new one. */
  readonly providerId?: string;
  readonly onMade?: (provider: rest.Provider) => void;
  readonly onClose: () => void;
}

export function ProviderForm({ providerId, onMade, onClose }: ProviderFormProps) {
  const { id: organisationId } = useOrganisation();
  if (providerId === undefined) {
    return (
      <Window
        title="Add a provider"
        description="After adding it, import its models."
        wide
        onClose={onClose}
      >
        <Form initial={NEW_PROVIDER} onClose={onClose} {...(onMade && { onMade })} />
      </Window>
    );
  }
  return (
    <Window
      title="Edit provider"
      description="Running requests are not affected."
      wide
      onClose={onClose}
    >
      <ReadForEditing
        endpoint={rest.getProvider}
        input={{ params: { organisationId, providerId } }}
      >
        {({ value, etag }) => (
          <Form initial={draftOf(value)} known={{ providerId, etag }} onClose={onClose} />
        )}
      </ReadForEditing>
    </Window>
  );
}

interface FormProps {
  readonly initial: Draft;
  readonly known?: { readonly providerId: string; readonly etag: string | undefined };
  readonly onMade?: (provider: rest.Provider) => void;
  readonly onClose: () => void;
}

function Form({ initial, known, onMade, onClose }: FormProps) {
  const { id: organisationId } = useOrganisation();
  const test = useDraftTest();
  const form = useSave<Draft, rest.Provider>({
    initial,
    known,
    stale: [rest.listProviders.id, rest.getProvider.id],
    send: (draft, call) => {
      const params = { organisationId };
      if (known === undefined) {
        return call(rest.createProvider, { params, body: bodyOf(draft) });
      }
      const { providerId } = known;
      return call(rest.updateProvider, {
        params: { ...params, providerId },
        body: patchOf(draft),
      });
    },
    made: createdText,
    onClose,
    onSaved: onMade,
  });
  return (
    <FormBody
      form={form}
      fields={PROVIDER_FORM_FIELDS}
      submit={known === undefined ? 'Add provider' : 'Save'}
      onClose={onClose}
    >
      <ProviderFields
        draft={form.draft}
        error={form.error}
        known={known !== undefined}
        wrong={test.wrong}
        onChange={(part) => {
          form.change(part);
          test.forget();
        }}
      />
      <div className="flex flex-col gap-3 border-t pt-4">
        <div className="flex flex-wrap items-center gap-3">
          <Button busy={test.busy} onClick={() => void test.run(form.draft)}>
            {test.busy ? 'Testing…' : 'Test connection'}
          </Button>
          <p className="min-w-0 flex-1 text-sm text-ink-faint">
            Requests the upstream’s list of models with these settings. Nothing is saved.
          </p>
        </div>
        <OtherErrors error={test.error} fields={PROVIDER_FORM_FIELDS} />
        {test.result !== undefined && (
          <div role="status" ref={(shown) => shown?.scrollIntoView({ block: 'nearest' })}>
            <TestResult result={test.result} />
          </div>
        )}
      </div>
    </FormBody>
  );
}
