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
import { cacheWords } from './response-cache-facts';
import { FILTER_NAMES, FILTER_WORDS, OBJECT_FILTERS, type FilterName } from './state';
import type { Usage } from './use-usage';

type Picked = (typeof OBJECT_FILTERS)[number];

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
        <Chip key={name} label={FILTER_WORDS[name]} onRemove={() => go({ [name]: undefined })}>
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
                {FILTER_WORDS[name]}
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
  return OBJECT_FILTERS.filter(
    (name) =>
      filters[name] === undefined &&
      (name !== 'providerId' || mayProviders) &&
      (name !== 'mcpServerId' || mayServers),
  );
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
  if (!isOneOf(OBJECT_FILTERS, name)) return `${FILTER_WORDS[name]}: ${valueWords(name, value)}`;
  // On the platform's page the resource's organisation is unknown.
  if (wide) return `${FILTER_WORDS[name]} ${value.slice(0, 8)}`;
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

function valueWords(name: Exclude<FilterName, Picked>, value: string): string {
  if (name === 'status') return resultWords(value).toLowerCase();
  if (name === 'region') return placeWords(value);
  if (name === 'responseCache') return cacheWords(value);
  return name === 'endUser' || name === 'session' ? shownName(value) : value;
}

interface PickWindowProps {
  readonly name: Picked;
  readonly onPick: (id: string) => void;
  readonly onClose: () => void;
}

function PickWindow({ name, onPick, onClose }: PickWindowProps) {
  const { me } = useScope();
  const choice = {
    legend: FILTER_WORDS[name],
    chosen: [],
    onChange: ([id]: readonly string[]) => {
      if (id !== undefined) onPick(id);
      onClose();
    },
  };
  return (
    <Window
      title={`Only one ${inText(FILTER_WORDS[name])}`}
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
