'use client';

import { rest } from '@tollgate/contracts';

import { TextField } from '../../design/text-field';
import { FormBody, Window } from '../../resource/form-dialog';
import { RegionsField } from '../../resource/regions-field';
import { regionsOf, regionsText } from '../../resource/typed';
import { createdText, useSave } from '../../resource/use-save';
import { ReadForEditing } from '../../resource/versioned';
import { useOrganisation } from '../../shell/scope';

interface TeamFormProps {
  /** The team to edit; absent for a new one. */
  readonly teamId?: string;
  readonly onClose: () => void;
}

export function TeamForm({ teamId, onClose }: TeamFormProps) {
  const { id: organisationId } = useOrganisation();
  if (teamId === undefined) {
    return (
      <Window
        title="Create a team"
        description="After creating it, add members, keys and limits."
        onClose={onClose}
      >
        <Fields name="" allowedRegions={[]} onClose={onClose} />
      </Window>
    );
  }
  return (
    <Window
      title="Edit the team"
      description="Allowed regions apply to new requests of the team’s keys."
      onClose={onClose}
    >
      <ReadForEditing endpoint={rest.getTeam} input={{ params: { organisationId, teamId } }}>
        {({ value, etag }) => (
          <Fields
            name={value.name}
            allowedRegions={value.allowedRegions}
            team={{ teamId, etag }}
            onClose={onClose}
          />
        )}
      </ReadForEditing>
    </Window>
  );
}

interface FieldsProps {
  readonly name: string;
  readonly allowedRegions: readonly string[];
  readonly team?: { readonly teamId: string; readonly etag: string | undefined };
  readonly onClose: () => void;
}

function Fields({ name, allowedRegions, team, onClose }: FieldsProps) {
  const { id: organisationId } = useOrganisation();
  const form = useSave({
    initial: { name, allowedRegions: regionsText(allowedRegions) },
    known: team,
    stale: [rest.listTeams.id, rest.getTeam.id],
    send: (draft, call) => {
      const body = { name: draft.name, allowedRegions: regionsOf(draft.allowedRegions) };
      return team === undefined
        ? call(rest.createTeam, { params: { organisationId }, body })
        : call(rest.updateTeam, { params: { organisationId, teamId: team.teamId }, body });
    },
    made: createdText,
    onClose,
  });
  return (
    <FormBody
      form={form}
      fields={['name', 'allowedRegions']}
      submit={team === undefined ? 'Create team' : 'Save'}
      onClose={onClose}
    >
      <TextField
        label="Name"

        {...form.field('name')}

        maxLength={200}
        autoFocus
      />
      <RegionsField of="the team’s keys" {...form.field('allowedRegions')} />
    </FormBody>
  );
}
