import { rest } from '@tollgate/contracts';

import { listInput, type Get } from '../../resource/list-input';

/** Adds query parameters to a path. Undefined ones are left out. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
): string {
  const [base = '', known = ''] = path.split('?');
  const search = new URLSearchParams(known);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value));
  }
  const text = search.toString();
  return text === '' ? base : `${base}?${text}`;
}

/** The path of the CSV with all rows that match the list's filters. */
export function exportPath(organisationId: string, get: Get): string {
  const { limit: _limit, ...filters } = listInput(rest.exportAuditEvents, get);
  return withQuery(rest.fillPath(rest.exportAuditEvents.path, { organisationId }), filters);
}
