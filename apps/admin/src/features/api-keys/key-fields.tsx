'use client';

import type { ApiKeyType } from '@tollgate/contracts';
import { RadioGroup } from 'radix-ui';

import type { ApiError } from '../../api/rest-client';
import { fieldError } from '../../design/field-error';
import { SelectField, TextField } from '../../design/text-field';
import { RegionsField } from '../../resource/regions-field';
import { useMay, useOrganisation, useReachesOrganisation, useScope } from '../../shell/scope';
import { ListPicker } from '../pickers/pickers';
import { EXPIRIES, TYPE_WORDS, typesFor, type Draft } from './draft';
import { ModelsField } from './models-field';

interface KeyFieldsProps {
  readonly draft: Draft;
  readonly error: ApiError | undefined;
  readonly onChange: (draft: Draft) => void;
}

export function KeyFields({ draft, error, onChange }: KeyFieldsProps) {
  const { me } = useScope();
  const types = typesFor(me);
  const mayReadServers = useMay('mcp-servers.read');
  return (
    <>
      <TextField
        label="Name"
        hint="For example the application that uses the key."
        error={fieldError(error, 'name')}
        value={draft.name}
        onChange={(value) => onChange({ ...draft, name: value })}
        maxLength={200}
        autoFocus
      />
      {types.length > 1 && (
        <TypeChoice
          types={types}
          value={draft.type}
          onChange={(type) => onChange({ ...draft, type, teamId: undefined, userId: undefined })}
        />
      )}
      <Owner draft={draft} error={error} onChange={onChange} />
      <ModelsField
        modelIds={draft.modelIds}
        grants={draft.grants}
        error={error}
        onChange={(part) => onChange({ ...draft, ...part })}
      />
      {mayReadServers && (
        <ListPicker
          of="mcpServers"
          legend="MCP servers"
          hint="Which of their tools the key may use is set in its grants afterwards."
          error={fieldError(error, 'mcpServerIds')}
          chosen={draft.mcpServerIds}
          onChange={(mcpServerIds) => onChange({ ...draft, mcpServerIds })}
        />
      )}
      <RegionsField
        of="this key"
        error={fieldError(error, 'allowedRegions')}
        value={draft.allowedRegions}
        onChange={(allowedRegions) => onChange({ ...draft, allowedRegions })}
      />
      <SelectField
        label="Expires"
        error={fieldError(error, 'expiresAt')}
        value={draft.expiry}
        choices={EXPIRIES}
        onChange={(expiry) => onChange({ ...draft, expiry })}
      />
    </>
  );
}

/** The owner of the key: a team, a user, or the organisation. */
function Owner({ draft, error, onChange }: KeyFieldsProps) {
  const { me } = useScope();
  const organisation = useOrganisation();
  const forOthers = useReachesOrganisation('apikeys.write');
  if (draft.type === 'TEAM') {
    return (
      <ListPicker
        of="teams"
        legend="Team"
        {...(me.role === 'MANAGER' ? { only: me.managedTeamIds } : {})}
        error={fieldError(error, 'teamId')}
        chosen={draft.teamId === undefined ? [] : [draft.teamId]}
        onChange={([teamId]) => onChange({ ...draft, teamId })}
      />
    );
  }
  if (draft.type !== 'USER' || !forOthers) return null;
  const member = me.organisation?.id === organisation.id;
  return (
    <ListPicker
      of="users"
      legend="User"
      {...(member ? { hint: 'Empty: the key belongs to you.' } : {})}
      error={fieldError(error, 'userId')}
      chosen={draft.userId === undefined ? [] : [draft.userId]}
      onChange={([userId]) => onChange({ ...draft, userId })}
    />
  );
}

interface TypeChoiceProps {
  readonly types: readonly ApiKeyType[];
  readonly value: ApiKeyType;
  readonly onChange: (type: ApiKeyType) => void;
}

function TypeChoice({ types, value, onChange }: TypeChoiceProps) {
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium">Type</legend>
      <RadioGroup.Root
        aria-label="Type"
        value={value}
        onValueChange={(chosen) => {
          const type = types.find((candidate) => candidate === chosen);
          if (type !== undefined) onChange(type);
        }}
        className="grid gap-2 sm:grid-cols-3"
      >
        {types.map((type) => (
          <RadioGroup.Item
            key={type}
            value={type}
            className="rounded-md border border-line-strong/60 px-3 py-2 text-left hover:bg-hover data-[state=checked]:border-accent data-[state=checked]:bg-accent-soft"
          >
            <span className="block font-medium">{TYPE_WORDS[type].label}</span>
            <span className="block text-sm text-ink-soft">{TYPE_WORDS[type].note}</span>
          </RadioGroup.Item>
        ))}
      </RadioGroup.Root>
    </fieldset>
  );
}
