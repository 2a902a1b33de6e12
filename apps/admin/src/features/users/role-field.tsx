'use client';

import type { Role } from '@tollgate/contracts';
import { SelectField } from '../../design/text-field';
import { sentence } from '../../format/words';

const MEANINGS: Record<Role, string> = {
  SUPER_ADMIN: 'Everything, in every organisation. Belongs to none.',
  ORG_ADMIN: 'Everything in the organisation: providers, people, keys, limits and books.',
  MANAGER: 'Manages the members, keys and limits of the teams given to them.',
  USER: 'Sees their own keys and usage, and makes keys for the models granted to them.',
};

type RoleFieldProps<R extends Role> = {
  readonly roles: readonly R[];
  readonly value: R;
  readonly error: string | undefined;
  readonly disabled?: boolean;
  readonly onChange: (role: R) => void;
};

/** What somebody may do, with what it means. */
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
