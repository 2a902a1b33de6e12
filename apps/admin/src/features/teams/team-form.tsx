'use client';

import { rest } from '@tollgate/contracts';
import { useRest } from '../../api/provider';
import { Field, TextInput } from '../../design/field';
import { fieldError } from '../../design/field-error';
import { useToast } from '../../design/toast';
import { FormBody, Window } from '../../resource/form-dialog';
import { useForm } from '../../resource/use-form';
import { ReadForEditing } from '../../resource/versioned';
import { useOrganisation } from '../../shell/scope';

type TeamFormProps = {
  /** The team that is changed; without it a new one is made. */
  readonly teamId?: string;
  readonly onClose: () => void;
};

export function TeamForm({ teamId, onClose }: TeamFormProps) {
  const { id: organisationId } = useOrganisation();
  if (teamId === undefined) {
    return (
      <Window
        title="Create a team"
        description="Members, keys and limits are added once it is there."
        onClose={onClose}
      >
        <Fields name="" onClose={onClose} />
      </Window>
    );
  }
  return (
    <Window
      title="Rename the team"
      description="Keys, limits and records stay as they are."
      onClose={onClose}
    >
      <ReadForEditing endpoint={rest.getTeam} input={{ params: { organisationId, teamId } }}>
        {({ value, etag }) => (
          <Fields name={value.name} team={{ teamId, etag }} onClose={onClose} />
        )}
      </ReadForEditing>
    </Window>
  );
}

type FieldsProps = {
  readonly name: string;
  readonly team?: { readonly teamId: string; readonly etag: string | undefined };
  readonly onClose: () => void;
};

function Fields({ name, team, onClose }: FieldsProps) {
  const { id: organisationId } = useOrganisation();
  const client = useRest();
  const say = useToast();
  const form = useForm({
    initial: { name },
    stale: [rest.listTeams.id, rest.getTeam.id],
    send: (body, idempotencyKey) =>
      team === undefined
        ? client.call(rest.createTeam, { params: { organisationId }, body, idempotencyKey })
        : client.call(rest.updateTeam, {
            params: { organisationId, teamId: team.teamId },
            body,
            ...(team.etag === undefined ? {} : { ifMatch: team.etag }),
          }),
    onDone: (saved) => {
      say(team === undefined ? `${saved.name} is there.` : 'Saved.');
      onClose();
    },
  });
  return (
    <FormBody
      form={form}
      fields={['name']}
      submit={team === undefined ? 'Create team' : 'Save'}
      onClose={onClose}
    >
      <Field label="Name" error={fieldError(form.error, 'name')}>
        {(props) => (
          <TextInput
            {...props}
            value={form.draft.name}
            onChange={(event) => form.change({ name: event.target.value })}
            autoComplete="off"
            maxLength={200}
            autoFocus
          />
        )}
      </Field>
    </FormBody>
  );
}
