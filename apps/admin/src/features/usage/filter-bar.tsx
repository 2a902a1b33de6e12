'use client';

import { isOneOf, rest } from '@tollgate/contracts';
import { X } from 'lucide-react';
import { useState, type ReactNode } from 'react';

import { IconButton } from '../../design/button';
import { DialogBody } from '../../design/dialog';
import { Select } from '../../design/field';
import { Window } from '../../resource/form-dialog';
import { useMay, useScope } from '../../shell/scope';
import { ListPicker } from '../pickers/pickers';
import { ScopeName } from '../pickers/scope-name';
import { inText, placeWords, resultWords, shownName } from './group-name';
import { ProviderName } from './provider-name';
import { FILTER_NAMES, type FilterName } from './state';
import type { Usage } from './use-usage';

const PICKED = {
  teamId: 'Team',
  userId: 'User',
  apiKeyId: 'API key',
  modelId: 'Model',
  providerId: 'Provider',
  mcpServerId: 'MCP server',
} as const satisfies Partial<Record<FilterName, string>>;
type Picked = keyof typeof PICKED;

/** Filters that are set by links of groups. */
const WORDS = {
  operation: 'Operation',
  status: 'Result',
  endUser: 'End user',
  session: 'Session',
  agentClass: 'Agent class',
  tag: 'Tag',
} as const satisfies Partial<Record<FilterName, string>>;

/** Filters of the list of requests that have no input. */
const ONLY_SHOWN = {
  errorCode: 'Error code',
  clientRequestId: 'Client’s id',
  screening: 'Screening rule',
  name: 'Tool, prompt or resource',
} as const;

export type ListFilter = keyof typeof ONLY_SHOWN;

interface FilterBarProps {
  readonly usage: Usage;
  /** URL parameters of the list, in addition to the usage filters. */
  readonly more?: Readonly<Partial<Record<ListFilter, string | undefined>>>;
}

/** The active filters: each can be removed, others can be added. */
export function FilterBar({ usage, more = {} }: FilterBarProps) {
  const { state, go } = usage;
  const [picking, setPicking] = useState<Picked>();
  const { filters } = state;
  const choices = usePickable(usage);
  const set = FILTER_NAMES.filter((name) => filters[name] !== undefined);
  const shown = (Object.keys(ONLY_SHOWN) as ListFilter[]).filter(
    (name) => more[name] !== undefined,
  );
  return (
    <search aria-label="Filters" className="flex flex-wrap items-center gap-2">
      {set.map((name) => (
        <Chip key={name} label={chipLabel(name)} onRemove={() => go({ [name]: undefined })}>
          <FilterValue name={name} value={filters[name] ?? ''} wide={usage.wide} />
        </Chip>
      ))}
      {shown.map((name) => (
        <Chip key={name} label={ONLY_SHOWN[name]} onRemove={() => go({ [name]: undefined })}>
          {ONLY_SHOWN[name]} <code className="font-mono text-sm">{more[name]}</code>
        </Chip>
      ))}
      {choices.length > 0 && (
        <div>
          <Select
            aria-label="Add a filter"
            value=""
            onChange={({ target }) => {
              if (isOneOf(choices, target.value)) setPicking(target.value);
            }}
          >
            <option value="">Add a filter</option>
            {choices.map((name) => (
              <option key={name} value={name}>
                {PICKED[name]}
              </option>
            ))}
          </Select>
        </div>
      )}
      {filters.status === undefined && (
        <div>
          <Select
            aria-label="Result"
            value=""
            onChange={({ target }) =>
              go({ status: target.value === '' ? undefined : target.value })
            }
          >
            <option value="">Any result</option>
            {rest.USAGE_STATUSES.map((status) => (
              <option key={status} value={status}>
                {resultWords(status)}
              </option>
            ))}
          </Select>
        </div>
      )}
      {picking !== undefined && (
        <PickWindow
          name={picking}
          onPick={(id) => go({ [picking]: id })}
          onClose={() => setPicking(undefined)}
        />
      )}
    </search>
  );
}

/** Filters that are not set and that the user may set. */
function usePickable({ state: { filters }, wide }: Usage): readonly Picked[] {
  const mayProviders = useMay('providers.read');
  const mayServers = useMay('mcp-servers.read');
  if (wide) return [];
  return (Object.keys(PICKED) as Picked[]).filter(
    (name) =>
      filters[name] === undefined &&
      (name !== 'providerId' || mayProviders) &&
      (name !== 'mcpServerId' || mayServers),
  );
}

function chipLabel(name: FilterName): string {
  return Object.hasOwn(WORDS, name) ? WORDS[name as keyof typeof WORDS] : PICKED[name as Picked];
}

interface ChipProps {
  readonly label: string;
  readonly onRemove: () => void;
  readonly children: ReactNode;
}

function Chip({ label, onRemove, children }: ChipProps) {
  return (
    <span className="inline-flex h-9 max-w-full items-center gap-1 rounded-md border bg-accent-soft pl-3">
      <span className="min-w-0 truncate">{children}</span>
      <IconButton label={`Remove filter: ${label}`} size="small" onClick={onRemove}>
        <X />
      </IconButton>
    </span>
  );
}

interface FilterValueProps {
  readonly name: FilterName;
  readonly value: string;
  readonly wide: boolean;
}

function FilterValue({ name, value, wide }: FilterValueProps) {
  if (name === 'status') return `Result: ${resultWords(value).toLowerCase()}`;
  if (name === 'operation') return `Operation: ${value}`;
  if (name === 'region') return `Region: ${placeWords(value)}`;
  if (name === 'endUser' || name === 'session') return `${WORDS[name]}: ${shownName(value)}`;
  if (name === 'agentClass' || name === 'tag') return `${WORDS[name]}: ${value}`;
  // On the platform's page the resource's organisation is unknown.
  if (wide) return `${PICKED[name]} ${value.slice(0, 8)}`;
  switch (name) {
    case 'teamId':
      return <ScopeName scope={{ type: 'TEAM', id: value }} />;
    case 'userId':
      return <ScopeName scope={{ type: 'USER', id: value }} />;
    case 'apiKeyId':
      return <ScopeName scope={{ type: 'API_KEY', id: value }} />;
    case 'modelId':
      return <ScopeName scope={{ type: 'MODEL', id: value }} />;
    case 'providerId':
      return (
        <>
          <span className="text-ink-soft">Provider</span> <ProviderName providerId={value} />
        </>
      );
    case 'mcpServerId':
      return <ScopeName scope={{ type: 'MCP_SERVER', id: value }} />;
  }
}

interface PickWindowProps {
  readonly name: Picked;
  readonly onPick: (id: string) => void;
  readonly onClose: () => void;
}

function PickWindow({ name, onPick, onClose }: PickWindowProps) {
  const { me } = useScope();
  const choice = {
    legend: PICKED[name],
    chosen: [],
    onChange: ([id]: readonly string[]) => {
      if (id !== undefined) onPick(id);
      onClose();
    },
  };
  return (
    <Window
      title={`Only one ${inText(PICKED[name])}`}
      description="All other usage is hidden."
      onClose={onClose}
    >
      <DialogBody>
        {name === 'teamId' && (
          <ListPicker
            of="teams"
            {...choice}
            {...(me.role === 'MANAGER' ? { only: me.managedTeamIds } : {})}
          />
        )}
        {name === 'userId' && <ListPicker of="users" {...choice} />}
        {name === 'apiKeyId' && <ListPicker of="keys" {...choice} />}
        {name === 'modelId' && <ListPicker of="models" {...choice} many={false} />}
        {name === 'providerId' && <ListPicker of="providers" {...choice} />}
        {name === 'mcpServerId' && <ListPicker of="mcpServers" {...choice} many={false} />}
      </DialogBody>
    </Window>
  );
}
