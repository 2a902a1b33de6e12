import { rest } from '@tollgate/contracts';

import type { Call } from '../../rest/call';
import { csvLine, type CsvCell } from '../../rest/csv';
import { download } from '../../rest/download';
import { exportSpan } from '../../rest/export-span';
import { list } from './audit-events';

const BATCH = 500;

const COLUMNS: readonly (readonly [name: string, cell: (event: rest.AuditEvent) => CsvCell])[] = [
  ['id', (event) => event.id],
  ['createdAt', (event) => event.createdAt],
  ['actorKind', (event) => event.actor.kind],
  ['actorId', (event) => event.actor.id],
  ['actorName', ({ actor, names }) => (actor.id === null ? null : (names[actor.id] ?? null))],
  ['actorEmail', (event) => event.actor.email],
  ['action', (event) => event.action],
  ['targetType', (event) => event.target.type],
  ['targetId', (event) => event.target.id],
  ['targetName', (event) => event.target.name],
  ['before', (event) => event.before && JSON.stringify(event.before)],
  ['after', (event) => event.after && JSON.stringify(event.after)],
  ['requestId', (event) => event.requestId],
  ['remoteAddress', (event) => event.remoteAddress],
];

/** Audit events as CSV, oldest first, with keyset paging. */
export function exportEvents(call: Call<typeof rest.exportAuditEvents>): string {
  const { db, query, organisation } = call;
  const span = exportSpan(query, rest.AUDIT_EXPORT_DAYS, call.nowMs);

  async function* chunks(): AsyncGenerator<string> {
    let cursor: string | undefined;
    let head = csvLine(COLUMNS.map(([name]) => name));
    do {
      const { from, to } = span;
      const page = await list(
        db,
        { ...query, from, to, cursor, limit: BATCH, sort: 'createdAt' },
        organisation.id,
      );
      yield (
        head + page.data.map((event) => csvLine(COLUMNS.map(([, cell]) => cell(event)))).join('')
      );
      head = '';
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }

  return download({ filename: span.filename('audit-events'), chunks: chunks() });
}
