'use client';

import { rest, vendorByType } from '@tollgate/contracts';
import { useState } from 'react';
import type { z } from 'zod';

import { useRead } from '../../api/provider';
import type { RestQuestion } from '../../api/rest-client';
import { Picker, type PickerItem } from '../../design/picker';
import { useDebounced } from '../../design/use-debounced';
import { sentence } from '../../format/words';
import { useOrganisation } from '../../shell/scope';

// One picker for all resources of an organisation, with a row for each type of resource.

const SHOWN = 50;

interface Search {
  readonly limit: number;
  readonly search?: string;
}
interface Found {
  readonly items: readonly PickerItem[] | undefined;
  readonly more: boolean;
  /** The items are those of the previous text. */
  readonly reading: boolean;
}

interface Kind {
  /** Allows several choices, unless the form says otherwise. */
  readonly many: boolean;
  /** Shown when no name matches. */
  readonly nothing: string;
  readonly useFound: (search: Search) => Found;
}

const active = { status: 'ACTIVE' };

const KINDS = {
  models: {
    many: true,
    nothing: 'No model with this name. Add models on their provider’s page.',
    useFound: listed(rest.listModels, ({ type }) => sentence(type), active),
  },
  /** Models that the user may grant. */
  grantableModels: {
    many: true,
    nothing:
      'No model with this name that you may grant. Ask an administrator for a key with access to it.',
    useFound: listed(rest.listGrantableModels, ({ type }) => sentence(type), active),
  },
  providers: {
    many: false,
    nothing: 'No provider with this name.',
    useFound: listed(rest.listProviders, ({ type }) => vendorByType(type).title),
  },
  mcpServers: {
    many: true,
    nothing: 'No MCP server with this name.',
    useFound: listed(rest.listMcpServers, ({ identifier }) => identifier),
  },
  teams: {
    many: false,
    nothing: 'No team with this name.',
    useFound: listed(rest.listTeams, () => undefined),
  },
  users: {
    many: false,
    nothing: 'No active user with this name.',
    useFound: listed(rest.listUsers, ({ email }) => email, active),
  },
  keys: {
    many: false,
    nothing: 'No active key with this name.',
    useFound: listed(rest.listApiKeys, ({ preview }) => preview, active),
  },
} satisfies Record<string, Kind>;

interface ListPickerProps {
  readonly of: keyof typeof KINDS;
  readonly legend: string;
  readonly hint?: string;
  readonly error?: string | undefined;
  readonly many?: boolean;
  /** Offers only these ids. */
  readonly only?: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

export function ListPicker({ of, many, only, ...props }: ListPickerProps) {
  const kind: Kind = KINDS[of];
  const [search, setSearch] = useState('');
  const text = useDebounced(search.trim());
  const { items, more, reading } = kind.useFound({
    limit: SHOWN,
    ...(text === '' ? {} : { search: text }),
  });
  return (
    <Picker
      {...props}
      many={many ?? kind.many}
      items={only === undefined ? items : items?.filter(({ id }) => only.includes(id))}
      more={more}
      reading={reading || text !== search.trim()}
      nothing={kind.nothing}
      search={search}
      onSearch={setSearch}
    />
  );
}

interface Named {
  readonly id: string;
  readonly name: string;
}
type ListEndpoint<Row extends Named> = rest.Endpoint<
  string,
  z.ZodType,
  z.ZodType,
  z.ZodType<{ data: Row[]; nextCursor: string | null }>
>;

/** Reads a page of a list, sorted by name. */
function listed<Row extends Named>(
  endpoint: ListEndpoint<Row>,
  note: (row: Row) => string | undefined,
  filters: Readonly<Record<string, string>> = {},
) {
  return function useFound(search: Search): Found {
    const { id: organisationId } = useOrganisation();
    const query = { ...search, ...filters, sort: 'name' };
    // Every row's list belongs to an organisation, which the path's type cannot express.
    const question: object = { params: { organisationId }, query };
    const asked = question as RestQuestion<ListEndpoint<Row>>;
    const { data, isPlaceholderData } = useRead(endpoint, asked, { keep: true });
    const items = data?.data.map((row) => {
      const words = note(row);
      return { id: row.id, name: row.name, ...(words === undefined ? {} : { note: words }) };
    });
    const more = data !== undefined && data.nextCursor !== null;
    return { items, more, reading: isPlaceholderData };
  };
}
