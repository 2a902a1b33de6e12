'use client';

import { rest } from '@tollgate/contracts';

import { fieldError } from '../../design/field-error';
import { TextField } from '../../design/text-field';
import { FormBody, Window } from '../../resource/form-dialog';
import type { Form } from '../../resource/use-form';
import { createdText, useSave } from '../../resource/use-save';
import { ReadForEditing } from '../../resource/versioned';
import { NEW_SETTINGS, settingsBody, settingsDraft, type SettingsDraft } from '../settings/draft';
import { SETTING_FIELDS, SettingFields } from '../settings/setting-fields';
import { slugOf } from './slug';

interface OrganisationFormProps {
  /** The organisation to edit; absent for a new one. */
  readonly organisationId?: string;
  readonly onClose: () => void;
}

type Draft = SettingsDraft & {
  readonly slug: string;
  /** The slug was typed, so it no longer follows the name. */
  readonly slugTyped: boolean;
};

export function OrganisationForm({ organisationId, onClose }: OrganisationFormProps) {
  if (organisationId === undefined) {
    return (
      <Window
        title="Create an organisation"
        description="After creating it, invite its first administrator."
        wide
        onClose={onClose}
      >
        <CreateForm onClose={onClose} />
      </Window>
    );
  }
  return (
    <Window
      title="Edit organisation"
      description="Links contain the slug. Changing the slug breaks them."
      wide
      onClose={onClose}
    >
      <ReadForEditing endpoint={rest.getOrganisation} input={{ params: { organisationId } }}>
        {({ value, etag }) => <EditForm organisation={value} etag={etag} onClose={onClose} />}
      </ReadForEditing>
    </Window>
  );
}

const STALE = [rest.listOrganisations.id, rest.getOrganisation.id];
const FIELDS = ['slug', ...SETTING_FIELDS];

function CreateForm({ onClose }: { onClose: () => void }) {
  const form = useSave<Draft, rest.Organisation>({
    initial: { ...NEW_SETTINGS, slug: '', slugTyped: false },
    stale: STALE,
    send: (draft, call) =>
      call(rest.createOrganisation, { body: { ...settingsBody(draft), slug: slugIn(draft) } }),
    made: createdText,
    onClose,
  });
  return (
    <FormBody form={form} fields={FIELDS} submit="Create organisation" onClose={onClose}>
      <Fields form={form} />
    </FormBody>
  );
}

interface EditFormProps {
  readonly organisation: rest.Organisation;
  readonly etag: string | undefined;
  readonly onClose: () => void;
}

function EditForm({ organisation, etag, onClose }: EditFormProps) {
  const form = useSave<Draft, rest.Organisation>({
    initial: { ...settingsDraft(organisation), slug: organisation.slug, slugTyped: true },
    known: { etag },
    stale: STALE,
    send: (draft, call) =>
      call(rest.updateOrganisation, {
        params: { organisationId: organisation.id },
        body: { ...settingsBody(draft), slug: draft.slug },
      }),
    onClose,
  });
  return (
    <FormBody form={form} fields={FIELDS} submit="Save" onClose={onClose}>
      <Fields form={form} />
    </FormBody>
  );
}

function slugIn({ slug, slugTyped, name }: Draft): string {
  return slugTyped ? slug : slugOf(name);
}

function Fields({ form }: { form: Form<Draft> }) {
  const { draft, change, error } = form;
  return (
    <>
      <SettingFields draft={draft} error={error} onChange={change} autoFocus>
        <TextField
          label="Slug"
          hint="Part of its URL in the console. Lower-case letters, digits and hyphens."
          error={fieldError(error, 'slug')}
          value={slugIn(draft)}
          onChange={(slug) => change({ slug, slugTyped: true })}
          spellCheck={false}
          maxLength={63}
        />
      </SettingFields>
    </>
  );
}
