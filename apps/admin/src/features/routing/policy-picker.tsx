'use client';

import { rest } from '@tollgate/contracts';
import { useState } from 'react';

import { useRead } from '../../api/provider';
import { Picker } from '../../design/picker';
import { useDebounced } from '../../design/use-debounced';
import { useOrganisation } from '../../shell/scope';
import { STRATEGY_WORDS } from './words';

interface PolicyPickerProps {
  readonly error?: string | undefined;
  /** Null: no policy. */
  readonly chosen: string | null;
  readonly onChange: (policyId: string | null) => void;
}

const NONE = 'none';
const SHOWN = 50;

/** Selects the routing policy of a key, or none. */
export function PolicyPicker({ error, chosen, onChange }: PolicyPickerProps) {
  const { id: organisationId } = useOrganisation();
  const [search, setSearch] = useState('');
  const text = useDebounced(search.trim());
  const { data, isPlaceholderData } = useRead(
    rest.listRoutingPolicies,
    {
      params: { organisationId },
      query: { limit: SHOWN, sort: 'name', ...(text === '' ? {} : { search: text }) },
    },
    { keep: true },
  );
  const policies = data?.data.map(({ id, name, strategy }) => ({
    id,
    name,
    note: STRATEGY_WORDS[strategy].label,
  }));
  return (
    <Picker
      legend="Routing policy"
      hint="Applies while routing policies are on in the settings. Without a policy, requests use the model they name."
      error={error}
      many={false}
      items={policies && [{ id: NONE, name: 'None' }, ...policies]}
      chosen={[chosen ?? NONE]}
      onChange={([id]) => onChange(id === undefined || id === NONE ? null : id)}
      search={search}
      onSearch={setSearch}
      reading={isPlaceholderData || text !== search.trim()}
      nothing="No routing policy with this name."
      more={data !== undefined && data.nextCursor !== null}
    />
  );
}
