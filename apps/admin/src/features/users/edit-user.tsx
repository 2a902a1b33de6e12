'use client';

import { isOneOf, rest } from '@tollgate/contracts';
import type { ReactNode } from 'react';

import type { Versioned } from '../../api/rest-client';
import { TextField } from '../../design/text-field';
import { FormBody, Window } from '../../resource/form-dialog';
import { useSave } from '../../resource/use-save';
import { ReadForEditing } from '../../resource/versioned';
import { useScope } from '../../shell/scope';
import { RoleField } from './role-field';
import { STALE_USERS, useUserCalls } from './user-calls';

/** Edits a user's name and role. The email address does not change. */
export function EditUser({ userId, onClose }: { userId: string; onClose: () => void }) {
  return (
    <Window
      title="Edit user"
      description="A new role applies from the next request."
      onClose={onClose}
    >
      <UserForEditing userId={userId}>
        {(read) => <EditForm read={read} onClose={onClose} />}
      </UserForEditing>
    </Window>
  );
}

interface UserForEditingProps {
  readonly userId: string;
  readonly children: (read: Versioned<rest.User>) => ReactNode;
}

function UserForEditing({ userId, children }: UserForEditingProps) {
  const { platform, organisation } = useScope();
  if (platform) {
    return (
      <ReadForEditing endpoint={rest.getPlatformUser} input={{ params: { userId } }}>
        {children}
      </ReadForEditing>
    );
  }
  const organisationId = organisation?.id ?? '';
  return (
    <ReadForEditing endpoint={rest.getUser} input={{ params: { organisationId, userId } }}>
      {children}
    </ReadForEditing>
  );
}

interface EditFormProps {
  readonly read: Versioned<rest.User>;
  readonly onClose: () => void;
}

function EditForm({ read: { value: user, etag }, onClose }: EditFormProps) {
  const { me } = useScope();
  const calls = useUserCalls();
  const { role: roleNow } = user;
  // Nobody changes their own role, and super admins keep theirs.
  const mayChangeRole = user.id !== me.id && isOneOf(rest.ORGANISATION_ROLES, roleNow);
  const form = useSave({
    initial: { name: user.name, role: roleNow },
    known: { etag },
    stale: STALE_USERS,
    send: ({ name, role }, call) =>
      calls.update(call, user.id, {
        name,
        ...(isOneOf(rest.ORGANISATION_ROLES, role) && role !== roleNow ? { role } : {}),
      }),
    onClose,
  });
  const { field } = form;
  return (
    <FormBody form={form} fields={['name', 'role']} submit="Save" onClose={onClose}>
      <TextField label="Name" {...field('name')} maxLength={200} autoFocus />
      <RoleField
        roles={mayChangeRole ? rest.ORGANISATION_ROLES : [roleNow]}
        {...field('role')}

        disabled={!mayChangeRole}
      />
    </FormBody>
  );
}
