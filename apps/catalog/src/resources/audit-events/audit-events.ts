import type { rest } from '@tollgate/contracts';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

import { AuditEvent } from '../../audit/audit-event.entity';
import type { Call } from '../../rest/call';
import { idKey, likePattern, readByAge } from '../../rest/paging';
import { withNames } from './event-names';

const states = z.object({
  before: z.record(z.string(), z.unknown()).nullable().default(null),
  after: z.record(z.string(), z.unknown()).nullable().default(null),
});

/** Events as the API shows them, in the order of the rows. */
export function represent(
  db: EntityManager,
  rows: readonly AuditEvent[],
): Promise<rest.AuditEvent[]> {
  return withNames(db, rows.map(unnamed));
}

function unnamed(row: AuditEvent): Omit<rest.AuditEvent, 'names'> {
  const { before, after } = states.parse(row.details);
  return {
    id: row.id,
    organisationId: row.organisationId,
    actor: { kind: row.actorKind, id: row.actorId, email: row.actorEmail },
    action: row.action,
    target: { type: row.targetType, id: row.targetId, name: null },
    before,
    after,
    requestId: row.requestId,
    remoteAddress: row.remoteAddress,
    createdAt: row.createdAt.toISOString(),
  };
}

export type Query = Call<typeof rest.listAuditEvents>['query'];

export async function list(
  db: EntityManager,
  query: Query,
  organisationId: string | undefined,
): Promise<rest.PageOf<rest.AuditEvent>> {
  const rows = db.createQueryBuilder(AuditEvent, 'event');
  if (organisationId !== undefined) {
    rows.where('event.organisationId = :organisationId', { organisationId });
  }
  for (const field of ['action', 'actorId', 'targetType', 'targetId'] as const) {
    const value = query[field];
    if (value !== undefined) rows.andWhere(`event.${field} = :${field}`, { [field]: value });
  }
  if (query.search !== undefined) {
    rows.andWhere(
      '(event.action ILIKE :search OR event.actorEmail ILIKE :search OR event.targetId ILIKE :search)',
      { search: likePattern(query.search) },
    );
  }
  if (query.from !== undefined) {
    rows.andWhere('event.createdAt >= :from', { from: new Date(query.from) });
  }
  if (query.to !== undefined) rows.andWhere('event.createdAt < :to', { to: new Date(query.to) });
  const page = await readByAge(rows, query, idKey<AuditEvent>('event.id'));
  return {
    data: await represent(db, page.rows),
    nextCursor: page.nextCursor,
    matching: page.matching,
  };
}
