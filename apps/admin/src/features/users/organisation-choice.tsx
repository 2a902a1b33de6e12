'use client';

import { rest } from '@tollgate/contracts';
import { useState, type ReactNode } from 'react';

import { useRead } from '../../api/provider';
import { Picker } from '../../design/picker';
import { useDebounced } from '../../design/use-debounced';
import { ScopeProvider, useScope, type ScopeOrganisation } from '../../shell/scope';

const SHOWN = 50;

interface OrganisationChoiceProps {
  readonly error: string | undefined;
  readonly chosen: ScopeOrganisation | undefined;
  readonly onChange: (organisation: ScopeOrganisation) => void;
  /** Fields that depend on the organisation, shown in its scope. */
  readonly children?: ReactNode;
}

/** Selects a new user's organisation, unless the page has one. */
export function OrganisationChoice(props: OrganisationChoiceProps) {
  const { error, chosen, onChange, children } = props;
  const scope = useScope();
  if (scope.organisation !== null) return children;
  return (
    <>
      <OrganisationPicker error={error} chosen={chosen} onChange={onChange} />
      {chosen !== undefined && (
        <ScopeProvider key={chosen.id} value={{ ...scope, organisation: chosen }}>
          {children}
        </ScopeProvider>
      )}
    </>
  );
}

function OrganisationPicker({ error, chosen, onChange }: OrganisationChoiceProps) {
  const [search, setSearch] = useState('');
  const text = useDebounced(search.trim());
  const { data, isPlaceholderData } = useRead(
    rest.listOrganisations,
    {
      query: {
        limit: SHOWN,
        sort: 'name',
        status: 'ACTIVE',
        ...(text === '' ? {} : { search: text }),
      },
    },
    { keep: true },
  );
  return (
    <Picker
      legend="Organisation"
      error={error}
      many={false}
      items={data?.data.map(({ id, name, slug }) => ({ id, name, note: slug }))}
      chosen={chosen === undefined ? [] : [chosen.id]}
      onChange={([id]) => {
        const found = data?.data.find((organisation) => organisation.id === id);
        if (found !== undefined) onChange(found);
      }}
      more={data !== undefined && data.nextCursor !== null}
      nothing="No active organisation with this name."
      search={search}
      onSearch={setSearch}
      reading={isPlaceholderData || text !== search.trim()}
    />
  );
}
