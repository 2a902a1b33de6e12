'use client';

import { rest, vendorByType } from '@tollgate/contracts';
import { useState } from 'react';
import { useRead } from '../../api/provider';
import { Picker, type PickerItem } from '../../design/picker';
import { useDebounced } from '../../design/use-debounced';
import { sentence } from '../../format/words';
import { useOrganisation } from '../../shell/scope';

// Choosing a model, a team or a user of the organisation, however many there are.

const SHOWN = 50;

type ChoiceProps = {
  readonly legend: string;
  readonly hint?: string;
  readonly error?: string | undefined;
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
};

export function ModelPicker({ many = true, ...props }: ChoiceProps & { many?: boolean }) {
  const { search, setSearch, params, query } = useSearch();
  const { data } = useRead(
    rest.listModels,
    { params, query: { ...query, sort: 'name', status: 'ACTIVE' } },
    { keep: true },
  );
  return (
    <Picker
      {...props}
      many={many}
      items={data?.data.map(({ id, name, type }) => ({ id, name, note: sentence(type) }))}
      more={data !== undefined && data.nextCursor !== null}
      nothing="No model of this name. Models belong to a provider of the organisation."
      search={search}
      onSearch={setSearch}
    />
  );
}

/** The models that a key of the user may be granted. */
export function GrantableModelPicker(props: ChoiceProps) {
  const { search, setSearch, params, query } = useSearch();
  const { data } = useRead(
    rest.listGrantableModels,
    { params, query: { ...query, sort: 'name', status: 'ACTIVE' } },
    { keep: true },
  );
  return (
    <Picker
      {...props}
      many
      items={data?.data.map(({ id, name, type }) => ({ id, name, note: sentence(type) }))}
      more={data !== undefined && data.nextCursor !== null}
      nothing="No model of this name that you may grant. Ask an administrator for a key that has it."
      search={search}
      onSearch={setSearch}
    />
  );
}

export function ProviderPicker(props: ChoiceProps) {
  const { search, setSearch, params, query } = useSearch();
  const { data } = useRead(
    rest.listProviders,
    { params, query: { ...query, sort: 'name' } },
    { keep: true },
  );
  return (
    <Picker
      {...props}
      many={false}
      items={data?.data.map(({ id, name, type }) => ({ id, name, note: vendorByType(type).title }))}
      more={data !== undefined && data.nextCursor !== null}
      nothing="No provider of this name."
      search={search}
      onSearch={setSearch}
    />
  );
}

export function McpServerPicker(props: ChoiceProps) {
  const { search, setSearch, params, query } = useSearch();
  const { data } = useRead(
    rest.listMcpServers,
    { params, query: { ...query, sort: 'name' } },
    { keep: true },
  );
  return (
    <Picker
      {...props}
      many
      items={data?.data.map(({ id, name, identifier }) => ({ id, name, note: identifier }))}
      more={data !== undefined && data.nextCursor !== null}
      nothing="No MCP server of this name."
      search={search}
      onSearch={setSearch}
    />
  );
}

/** The teams that the user may see, less those that `only` leaves out. */
export function TeamPicker({
  only,
  many = false,
  ...props
}: ChoiceProps & { only?: readonly string[]; many?: boolean }) {
  const { search, setSearch, params, query } = useSearch();
  const { data } = useRead(
    rest.listTeams,
    { params, query: { ...query, sort: 'name' } },
    { keep: true },
  );
  const items: PickerItem[] | undefined = data?.data
    .filter(({ id }) => only === undefined || only.includes(id))
    .map(({ id, name }) => ({ id, name }));
  return (
    <Picker
      {...props}
      many={many}
      items={items}
      more={data !== undefined && data.nextCursor !== null}
      nothing="No team of this name."
      search={search}
      onSearch={setSearch}
    />
  );
}

export function UserPicker(props: ChoiceProps) {
  const { search, setSearch, params, query } = useSearch();
  const { data } = useRead(
    rest.listUsers,
    { params, query: { ...query, sort: 'name', status: 'ACTIVE' } },
    { keep: true },
  );
  return (
    <Picker
      {...props}
      many={false}
      items={data?.data.map(({ id, name, email }) => ({ id, name, note: email }))}
      more={data !== undefined && data.nextCursor !== null}
      nothing="No active user of this name."
      search={search}
      onSearch={setSearch}
    />
  );
}

export function KeyPicker({ many = false, ...props }: ChoiceProps & { many?: boolean }) {
  const { search, setSearch, params, query } = useSearch();
  const { data } = useRead(
    rest.listApiKeys,
    { params, query: { ...query, sort: 'name', status: 'ACTIVE' } },
    { keep: true },
  );
  return (
    <Picker
      {...props}
      many={many}
      items={data?.data.map(({ id, name, preview }) => ({ id, name, note: preview }))}
      more={data !== undefined && data.nextCursor !== null}
      nothing="No active key of this name."
      search={search}
      onSearch={setSearch}
    />
  );
}

function useSearch() {
  const { id: organisationId } = useOrganisation();
  const [search, setSearch] = useState('');
  const text = useDebounced(search.trim());
  return {
    search,
    setSearch,
    params: { organisationId },
    query: { limit: SHOWN, ...(text === '' ? {} : { search: text }) },
  };
}
