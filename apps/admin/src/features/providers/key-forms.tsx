'use client';

import { IDENTITY_CHARACTERS, rest } from '@tollgate/contracts';
import type { ReactNode } from 'react';

import { fieldError } from '../../design/field-error';
import { NumberField, TextField } from '../../design/text-field';
import { FormBody, Window } from '../../resource/form-dialog';
import { numberOrNull } from '../../resource/typed';
import type { Form } from '../../resource/use-form';
import { createdText, useSave } from '../../resource/use-save';
import { ReadForEditing } from '../../resource/versioned';

interface Draft {
  readonly name: string;
  readonly weight: string;
  readonly apiKey: string;
}

interface NewProviderKeyProps {
  readonly provider: rest.Provider;
  /** The key that it replaces, which is then drained. */
  readonly replaces?: rest.ProviderKey;
  readonly stale: readonly string[];
  readonly onClose: () => void;
}

/** Adds a key, or replaces another one. */
export function NewProviderKey({ provider, replaces, stale, onClose }: NewProviderKeyProps) {
  const params = { organisationId: provider.organisationId, providerId: provider.id };
  const form = useSave<Draft, rest.ProviderKey>({
    initial: {
      name: replaces?.name ?? '',
      weight: String(replaces?.weight ?? 1),
      apiKey: '',
    },
    stale,
    send: ({ name, weight, apiKey }, call) => {
      const body = { name, apiKey, weight: numberOrNull(weight) ?? Number.NaN };
      return replaces === undefined
        ? call(rest.addProviderKey, { params, body })
        : call(rest.rotateProviderKey, { params: { ...params, keyId: replaces.id }, body });
    },
    made: replaces === undefined ? createdText : ({ name }) => `${name} is now in use.`,
    onClose,
  });
  return (
    <Window
      title={replaces === undefined ? 'Add a key' : `Replace ${replaces.name}`}
      description={
        replaces === undefined
          ? 'New requests use it at once, in proportion to its weight.'
          : 'New requests use the new key at once. The old key is drained: running requests finish with it.'
      }
      onClose={onClose}
    >
      <FormBody
        form={form}
        fields={['name', 'weight', 'apiKey']}
        submit={replaces === undefined ? 'Add key' : 'Replace key'}
        onClose={onClose}
      >
        <NameAndWeight form={form}>
          <TextField
            label="API key"
            hint="A key, or an identity at a cloud as JSON. Stored encrypted and never shown again."
            error={fieldError(form.error, 'apiKey')}
            value={form.draft.apiKey}
            onChange={(value) => form.change({ apiKey: value.trim() })}
            type="password"
            autoComplete="new-password"
            spellCheck={false}
            maxLength={IDENTITY_CHARACTERS}
          />
        </NameAndWeight>
      </FormBody>
    </Window>
  );
}

interface EditProviderKeyProps {
  readonly provider: rest.Provider;
  readonly keyId: string;
  readonly stale: readonly string[];
  readonly onClose: () => void;
}

export function EditProviderKey({ provider, keyId, stale, onClose }: EditProviderKeyProps) {
  const params = { organisationId: provider.organisationId, providerId: provider.id, keyId };
  return (
    <Window
      title="Edit key"
      description="The secret does not change. To change it, replace the key."
      onClose={onClose}
    >
      <ReadForEditing endpoint={rest.getProviderKey} input={{ params }}>
        {({ value, etag }) => (
          <EditForm params={params} known={value} etag={etag} stale={stale} onClose={onClose} />
        )}
      </ReadForEditing>
    </Window>
  );
}

interface EditFormProps {
  readonly params: { organisationId: string; providerId: string; keyId: string };
  readonly known: rest.ProviderKey;
  readonly etag: string | undefined;
  readonly stale: readonly string[];
  readonly onClose: () => void;
}

function EditForm({ params, known, etag, stale, onClose }: EditFormProps) {
  const form = useSave({
    initial: { name: known.name, weight: String(known.weight) },
    known: { etag },
    stale,
    send: ({ name, weight }, call) =>
      call(rest.updateProviderKey, {
        params,
        body: { name, weight: numberOrNull(weight) ?? Number.NaN },
      }),
    onClose,
  });
  return (
    <FormBody form={form} fields={['name', 'weight']} submit="Save" onClose={onClose}>
      <NameAndWeight form={form} />
    </FormBody>
  );
}

interface NameAndWeightProps<Draft> {
  readonly form: Pick<Form<Draft>, 'field'>;
  /** Between name and weight. */
  readonly children?: ReactNode;
}

function NameAndWeight<Draft extends { readonly name: string; readonly weight: string }>({
  form: { field },
  children,
}: NameAndWeightProps<Draft>) {
  return (
    <>
      <TextField label="Name" {...field('name')} maxLength={200} autoFocus />
      {children}
      <NumberField
        label="Weight"
        hint="Share of the requests relative to the provider’s other keys, 1 to 1000."
        {...field('weight')}
      />
    </>
  );
}
