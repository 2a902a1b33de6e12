import { rest } from '@tollgate/contracts';

import { listInput, type Get } from '../../resource/list-input';
import { withQuery } from '../../shell/paths';

/** The path of the CSV with all rows that match the list's filters. */
export function exportPath(organisationId: string, get: Get): string {
  const { limit: _limit, ...filters } = listInput(rest.exportAuditEvents, get);
  return withQuery(rest.fillPath(rest.exportAuditEvents.path, { organisationId }), filters);
}
