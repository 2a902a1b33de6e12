'use client';

import type { Role } from '@tollgate/contracts';

import { SelectField } from '../../design/text-field';
import { sentence } from '../../format/words';

const MEANINGS: Record<Role, string> = {
  SUPER_ADMIN: 'Full access to every organisation. Belongs to none.',
  ORG_ADMIN: 'Full access to the organisation: providers, users, keys, limits and books.',
  MANAGER: 'Manages the members, keys and limits of their teams.',
  USER: 'Sees their own keys and usage, and creates keys for the models granted to them.',
};

interface RoleFieldProps<R extends Role> {
  readonly roles: readonly R[];
  readonly value: R;
  readonly error: string | undefined;
  readonly disabled?: boolean;
  readonly onChange: (role: R) => void;
}

/** Selects a role and explains it. */
export function RoleField<R extends Role>(props: RoleFieldProps<R>) {
  const { roles, value, error, disabled = false, onChange } = props;
  return (
    <SelectField
      label="Role"
      hint={MEANINGS[value]}
      error={error}
      value={value}
      choices={roles.map((role) => ({ value: role, label: sentence(role) }))}
      onChange={onChange}
      disabled={disabled}
    />
  );
}
