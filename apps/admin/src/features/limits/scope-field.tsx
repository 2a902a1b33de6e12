'use client';

import {
  BUDGET_PERIODS,
  isValueScope,
  LIMIT_SCOPES,
  type BudgetPeriod,
  type LimitScope,
  type rest,
  type Role,
} from '@tollgate/contracts';

import type { ApiError } from '../../api/rest-client';
import { fieldError } from '../../design/field-error';
import { Switch } from '../../design/switch';
import { SelectField, TextField } from '../../design/text-field';
import { sentence } from '../../format/words';
import { useOrganisation, useScope } from '../../shell/scope';
import { ListPicker } from '../pickers/pickers';
import { ActiveField } from './mode-field';

/** Whose requests a limit on each value can count. */
const AMONG = ['ORGANISATION', 'TEAM', 'API_KEY'] as const;
type Among = (typeof AMONG)[number];

export interface ScopeDraft {
  readonly type: LimitScope;
  readonly id: string | undefined;
  /** Of END_USER, SESSION and TAG: whose requests are counted. The organisation's by default. */
  readonly among?: Among;
  /** Of TAG. */
  readonly tagKey?: string | undefined;
}

/** The scopes that a role may limit, widest first. */
const TYPES: Readonly<Record<Role, readonly LimitScope[]>> = {
  SUPER_ADMIN: LIMIT_SCOPES,
  ORG_ADMIN: LIMIT_SCOPES,
  MANAGER: ['TEAM', 'API_KEY'],
  USER: [],
};

export const SCOPE_WORDS: Readonly<Record<LimitScope, string>> = {
  ORGANISATION: 'The whole organisation',
  TEAM: 'A team',
  USER: 'A user',
  API_KEY: 'An API key',
  MODEL: 'A model, for all users',
  MCP_SERVER: 'An MCP server, for all users',
  END_USER: 'Each end user',
  SESSION: 'Each session',
  TAG: 'Each value of a tag',
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
          onChange({
            type,
            id: type === 'ORGANISATION' || isValueScope(type) ? organisation.id : undefined,
          })
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
    case 'END_USER':
    case 'SESSION':
      return <AmongField scope={scope} error={error} onChange={onChange} />;
    case 'TAG':
      return (
        <>
          <TextField
            label="Tag"
            hint="One of the tags in the organisation’s settings"
            error={fieldError(error, 'scope.tagKey')}
            value={scope.tagKey ?? ''}
            onChange={(tagKey) => onChange({ ...scope, tagKey })}
          />
          <AmongField scope={scope} error={error} onChange={onChange} />
        </>
      );
  }
}

const AMONG_WORDS: Readonly<Record<Among, string>> = {
  ORGANISATION: 'The whole organisation',
  TEAM: 'A team',
  API_KEY: 'An API key',
};

/** Whose requests a limit on each value counts. */
function AmongField({ scope, error, onChange }: ScopeFieldProps) {
  const { id: organisationId } = useOrganisation();
  const { among = 'ORGANISATION', id } = scope;
  const choice = {
    error: fieldError(error, 'scope.id'),
    chosen: id === undefined ? [] : [id],
    onChange: ([chosen]: readonly string[]) => onChange({ ...scope, id: chosen }),
  };
  return (
    <>
      <SelectField
        label="Requests of"
        hint="Only names that trusted keys send count."
        value={among}
        choices={AMONG.map((value) => ({ value, label: AMONG_WORDS[value] }))}
        onChange={(value) =>
          onChange({
            ...scope,
            among: value,
            id: value === 'ORGANISATION' ? organisationId : undefined,
          })
        }
      />
      {among === 'TEAM' && <ListPicker of="teams" legend="Team" {...choice} />}
      {among === 'API_KEY' && <ListPicker of="keys" legend="API key" {...choice} />}
    </>
  );
}

/** The scope for the request. A missing id is sent empty, so that the server names the field. */
export function scopeOf({ type, id, tagKey }: ScopeDraft): rest.Scope {
  return { type, id: id ?? '', ...(type === 'TAG' ? { tagKey: tagKey?.trim() ?? '' } : {}) };
}

interface StateFieldsProps {
  readonly draft: {
    readonly scope: ScopeDraft;
    readonly requireValue: boolean;
    readonly status: rest.Budget['status'];
  };
  readonly change: (part: { requireValue?: boolean; status?: rest.Budget['status'] }) => void;
}

/** Whether the limit is applied, and to requests without a value where it is on each. */
export function StateFields({ draft, change }: StateFieldsProps) {
  return (
    <>
      {isValueScope(draft.scope.type) && (
        <Switch
          label="Refuse requests without a value"
          hint="Otherwise the limit does not count them. Only names that trusted keys send count."
          checked={draft.requireValue}
          onChange={(requireValue) => change({ requireValue })}
        />
      )}
      <ActiveField
        active={draft.status === 'ACTIVE'}
        onValues={isValueScope(draft.scope.type)}
        onChange={(active) => change({ status: active ? 'ACTIVE' : 'DISABLED' })}
      />
    </>
  );
}

/** Requests name it only where the scope has values. */
export function requireValueOf({
  scope,
  requireValue,
}: {
  readonly scope: ScopeDraft;
  readonly requireValue: boolean;
}): { requireValue: boolean } {
  return { requireValue: requireValue && isValueScope(scope.type) };
}

/** The periods that such a limit can have: only a value has a lifetime. */
export function periodsFor(type: LimitScope): readonly BudgetPeriod[] {
  return BUDGET_PERIODS.filter((period) => period !== 'LIFETIME' || isValueScope(type));
}
