'use client';

import type { Role, ScopeType } from '@tollgate/contracts';

import type { ApiError } from '../../api/rest-client';
import { fieldError } from '../../design/field-error';
import { SelectField } from '../../design/text-field';
import { sentence } from '../../format/words';
import { useOrganisation, useScope } from '../../shell/scope';
import { ListPicker } from '../pickers/pickers';

export interface ScopeDraft {
  readonly type: ScopeType;
  readonly id: string | undefined;
}

/** The scopes that a role may limit, widest first. */
const TYPES: Readonly<Record<Role, readonly ScopeType[]>> = {
  SUPER_ADMIN: ['ORGANISATION', 'TEAM', 'USER', 'API_KEY', 'MODEL', 'MCP_SERVER'],
  ORG_ADMIN: ['ORGANISATION', 'TEAM', 'USER', 'API_KEY', 'MODEL', 'MCP_SERVER'],
  MANAGER: ['TEAM', 'API_KEY'],
  USER: [],
};

export const SCOPE_WORDS: Readonly<Record<ScopeType, string>> = {
  ORGANISATION: 'The whole organisation',
  TEAM: 'A team',
  USER: 'A user',
  API_KEY: 'An API key',
  MODEL: 'A model, for all users',
  MCP_SERVER: 'An MCP server, for all users',
};

export function useFirstScope(): ScopeDraft {
  const { me } = useScope();
  const { id } = useOrganisation();
  const type = TYPES[me.role][0] ?? 'API_KEY';
  return { type, id: type === 'ORGANISATION' ? id : undefined };
}

interface ScopeFieldProps {
  readonly scope: ScopeDraft;
  readonly error: ApiError | undefined;
  readonly onChange: (scope: ScopeDraft) => void;
}

/** Selects a limit's scope: its type, then the resource. */
export function ScopeField({ scope, error, onChange }: ScopeFieldProps) {
  const { me } = useScope();
  const organisation = useOrganisation();
  const types = TYPES[me.role];
  return (
    <>
      <SelectField
        label="Applies to"
        error={fieldError(error, 'scope.type')}
        value={scope.type}
        choices={types.map((type) => ({ value: type, label: SCOPE_WORDS[type] }))}
        onChange={(type) =>
          onChange({ type, id: type === 'ORGANISATION' ? organisation.id : undefined })
        }
      />
      <Which scope={scope} error={error} onChange={onChange} />
    </>
  );
}

function Which({ scope, error, onChange }: ScopeFieldProps) {
  const { me } = useScope();
  const { type, id } = scope;
  const choice = {
    legend: sentence(type),
    error: fieldError(error, 'scope.id'),
    chosen: id === undefined ? [] : [id],
    onChange: ([chosen]: readonly string[]) => onChange({ type, id: chosen }),
  };
  switch (type) {
    case 'ORGANISATION':
      return null;
    case 'TEAM':
      return (
        <ListPicker
          of="teams"
          {...choice}
          {...(me.role === 'MANAGER' ? { only: me.managedTeamIds } : {})}
        />
      );
    case 'USER':
      return <ListPicker of="users" {...choice} />;
    case 'API_KEY':
      return <ListPicker of="keys" {...choice} legend="API key" />;
    case 'MODEL':
      return <ListPicker of="models" {...choice} many={false} />;
    case 'MCP_SERVER':
      return <ListPicker of="mcpServers" {...choice} legend="MCP server" many={false} />;
  }
}

/** The scope for the request. A missing id is sent empty, so that the server names the field. */
export function scopeOf({ type, id }: ScopeDraft): { type: ScopeType; id: string } {
  return { type, id: id ?? '' };
}
