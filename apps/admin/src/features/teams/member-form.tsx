'use client';

import { rest } from '@tollgate/contracts';

import { fieldError } from '../../design/field-error';
import { SelectField } from '../../design/text-field';
import { sentence } from '../../format/words';
import { FormBody, Window } from '../../resource/form-dialog';
import { useSave } from '../../resource/use-save';
import { ListPicker } from '../pickers/pickers';

interface MemberFormProps {
  readonly team: rest.Team;
  readonly stale: readonly string[];
  readonly onClose: () => void;
}

interface Draft {
  readonly userId: string | undefined;
  readonly role: rest.TeamRole;
}

export function MemberForm({ team, stale, onClose }: MemberFormProps) {
  const { organisationId, id: teamId } = team;
  const form = useSave<Draft, rest.TeamMember>({
    initial: { userId: undefined, role: 'MEMBER' },
    stale,
    send: ({ userId = '', role }, call) =>
      call(rest.addTeamMember, {
        params: { organisationId, teamId },
        body: { userId, role },
      }),
    made: ({ name }) => `${name} added to the team.`,
    onClose,
  });
  const { draft, change, error, field } = form;
  return (
    <Window
      title={`Add a member to ${team.name}`}
      description="Their keys can count towards the team’s limits."
      onClose={onClose}
    >
      <FormBody form={form} fields={['userId', 'role']} submit="Add member" onClose={onClose}>
        <ListPicker
          of="users"
          legend="User"
          error={fieldError(error, 'userId')}
          chosen={draft.userId === undefined ? [] : [draft.userId]}
          onChange={([userId]) => change({ userId })}
        />
        <SelectField
          label="Role in the team"
          {...field('role')}
          choices={rest.TEAM_ROLES.map((role) => ({ value: role, label: sentence(role) }))}
        />
      </FormBody>
    </Window>
  );
}
