'use client';

import { rest } from '@tollgate/contracts';
import { useState } from 'react';

import { useRest } from '../../api/provider';
import { fieldError } from '../../design/field-error';
import { SelectField, TextField } from '../../design/text-field';
import { useToast } from '../../design/toast';
import { plural } from '../../format/numbers';
import { FormBody, Window } from '../../resource/form-dialog';
import { useForm, type Form } from '../../resource/use-form';
import { useScope, type ScopeOrganisation } from '../../shell/scope';
import { ListPicker } from '../pickers/pickers';
import { HandOver } from '../users/hand-over';
import { OrganisationChoice } from '../users/organisation-choice';
import { RoleField } from '../users/role-field';

interface Draft {
  readonly email: string;
  readonly role: rest.Invitation['role'];
  readonly teamIds: readonly string[];
  readonly days: Days;
  readonly organisation: ScopeOrganisation | undefined;
}

const DAYS = ['1', '7', '14', '30'] as const;
type Days = (typeof DAYS)[number];
const FIELDS = ['email', 'role', 'teamIds', 'organisationId', 'expiresInDays'];

/** Invites a user by email, or with a link to pass on. */
export function Invite({ onClose }: { onClose: () => void }) {
  const { organisation } = useScope();
  const client = useRest();
  const say = useToast();
  const [made, setMade] = useState<{ link: string; expiresAt: string; email: string }>();
  const form = useForm<Draft, rest.SentInvitation>({
    initial: {
      email: '',
      role: 'USER',
      teamIds: [],
      days: '7',
      organisation: organisation ?? undefined,
    },
    stale: [rest.listInvitations.id],
    send: ({ email, role, teamIds, days, organisation: into }, idempotencyKey) =>
      client.call(rest.createInvitation, {
        body: {
          email,
          role,
          teamIds: [...teamIds],
          expiresInDays: Number(days),
          ...(into === undefined ? {} : { organisationId: into.id }),
        },
        idempotencyKey,
      }),
    onDone: ({ link, expiresAt, email }) => {
      if (link !== null) {
        setMade({ link, expiresAt, email });
        return;
      }
      say(`The invitation was sent to ${email}.`);
      onClose();
    },
  });
  if (made !== undefined) {
    const { email, ...link } = made;
    return <HandOver title={`The invitation for ${email}`} {...link} onClose={onClose} />;
  }
  return (
    <Window
      title="Invite a user"
      description="They choose their own name and password."
      onClose={onClose}
    >
      <FormBody form={form} fields={FIELDS} submit="Invite" onClose={onClose}>
        <InviteFields form={form} />
      </FormBody>
    </Window>
  );
}

function InviteFields({ form: { draft, change, error, field } }: { form: Form<Draft> }) {
  return (
    <>
      <TextField
        label="Email"
        {...field('email')}
        type="email"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus
      />
      <RoleField roles={rest.ORGANISATION_ROLES} {...field('role')} />
      <OrganisationChoice
        error={fieldError(error, 'organisationId')}
        chosen={draft.organisation}
        // Teams belong to the previously chosen organisation.
        onChange={(into) => change({ organisation: into, teamIds: [] })}
      >
        <ListPicker
          of="teams"
          legend="Teams"
          hint={
            draft.role === 'MANAGER'
              ? 'They manage the selected teams.'
              : 'They become members of the selected teams.'
          }
          many
          error={fieldError(error, 'teamIds')}
          chosen={draft.teamIds}
          onChange={(teamIds) => change({ teamIds })}
        />
      </OrganisationChoice>
      <SelectField
        label="Valid for"
        error={fieldError(error, 'expiresInDays')}
        value={draft.days}
        choices={DAYS.map((days) => ({ value: days, label: plural(Number(days), 'day') }))}
        onChange={(value) => change({ days: value })}
      />
    </>
  );
}
