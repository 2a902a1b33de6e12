'use client';

import { rest } from '@tollgate/contracts';
import { useMemo } from 'react';
import { useRead } from '../../api/provider';
import { useScope } from '../../shell/scope';
import { ORGANISATIONS_QUERY } from '../usage/queries';

/** Whose invoices they are, by id, where those of all organisations are looked at: the first by name. */
export function useOrganisations(): ReadonlyMap<string, rest.Organisation> | undefined {
  const { organisation } = useScope();
  const { data } = useRead(
    rest.listOrganisations,
    { query: ORGANISATIONS_QUERY },
    { enabled: organisation === null },
  );
  return useMemo(() => data && new Map(data.data.map((one) => [one.id, one])), [data]);
}
