'use client';

import { rest, ROLES, type Role } from '@tollgate/contracts';

import type { RestClient } from '../../api/rest-client';
import { fieldError } from '../../design/field-error';
import { TextField } from '../../design/text-field';
import { FormBody, Window } from '../../resource/form-dialog';
import type { Form } from '../../resource/use-form';
import { createdText, useSave } from '../../resource/use-save';
import { useScope, type ScopeOrganisation } from '../../shell/scope';
import { NewPasswordField } from '../sign-in/new-password-field';
import { OrganisationChoice } from './organisation-choice';
import { RoleField } from './role-field';
import { STALE_USERS } from './user-calls';

interface Draft {
  readonly email: string;
  readonly name: string;
  readonly password: string;
  readonly role: Role;
  readonly organisation: ScopeOrganisation | undefined;
}

const FIELDS = ['email', 'name', 'password', 'role', 'organisationId'];

/** Creates a user with an initial password. */
export function CreateUser({ onClose }: { onClose: () => void }) {
  const { platform, organisation } = useScope();
  const form = useSave<Draft, rest.User>({
    initial: {
      email: '',
      name: '',
      password: '',
      role: 'USER',
      organisation: organisation ?? undefined,
    },
    stale: STALE_USERS,
    send: (draft, call) =>
      platform ? createAnywhere(call, draft) : createHere(call, organisation?.id ?? '', draft),
    made: createdText,
    onClose,
  });
  return (
    <Window
      title="Create a user"
      description="You set the initial password and pass it on. With an invitation, users choose their own."
      onClose={onClose}
    >
      <FormBody form={form} fields={FIELDS} submit="Create user" onClose={onClose}>
        <UserFields form={form} />
      </FormBody>
    </Window>
  );
}

function UserFields({ form: { draft, change, error, field } }: { form: Form<Draft> }) {
  const { platform } = useScope();
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
      <TextField label="Name" {...field('name')} maxLength={200} />
      <NewPasswordField label="Initial password" {...field('password')} />
      <RoleField roles={platform ? ROLES : rest.ORGANISATION_ROLES} {...field('role')} />
      {draft.role !== 'SUPER_ADMIN' && (
        <OrganisationChoice
          error={fieldError(error, 'organisationId')}
          chosen={draft.organisation}
          onChange={(chosen) => change({ organisation: chosen })}
        />
      )}
    </>
  );
}

function createAnywhere(call: RestClient['call'], draft: Draft) {
  const { organisation, role, email, name, password } = draft;
  const organisationId = role === 'SUPER_ADMIN' ? null : (organisation?.id ?? null);
  const body = { email, name, password, role, organisationId };
  return call(rest.createPlatformUser, { body });
}

function createHere(
  call: RestClient['call'],
  organisationId: string,
  { role, email, name, password }: Draft,
) {
  const given = rest.organisationRole.parse(role);
  const body = { email, name, password, role: given };
  return call(rest.createUser, { params: { organisationId }, body });
}
