import { z } from 'zod';

import { endpoint } from './endpoint';
import { givenInstant, id, instant, listQuery, page, search } from './fields';

export const auditEvent = z
  .object({
    id,
    organisationId: id.nullable(),
    actor: z.object({
      kind: z.enum(['USER', 'SYSTEM']),
      id: id.nullable(),
      email: z.string().nullable(),
    }),
    action: z.string().meta({ description: '`<resource>.<verb>`, such as `apikey.revoke`.' }),
    target: z.object({
      type: z.string(),
      id: z.string().nullable(),
      name: z.string().nullable().meta({
        description: 'The name after the change, or before a deletion; else the name now, if any.',
      }),
    }),
    names: z.record(z.string(), z.string()).meta({
      description:
        'Names now, by id: of the actor, the target, and what top-level fields of `before` and `after` such as `teamId`, or `scope`, name.',
    }),
    before: z.record(z.string(), z.unknown()).nullable(),
    after: z.record(z.string(), z.unknown()).nullable(),
    requestId: z.string().nullable(),
    remoteAddress: z.string().nullable(),
    createdAt: instant,
  })
  .meta({ id: 'AuditEvent' });
export type AuditEvent = z.output<typeof auditEvent>;

const filters = {
  search: search.meta({
    description:
      "Matches text anywhere in the action, the actor's email address or the object's id.",
  }),
  action: z.string().min(1).max(100).optional(),
  actorId: id.optional(),
  targetType: z.string().min(1).max(100).optional(),
  targetId: z.string().min(1).max(100).optional(),
  from: givenInstant.optional(),
  to: givenInstant.optional(),
};

/** The longest range of one export of audit events. */
export const AUDIT_EXPORT_DAYS = 366;

export const exportAuditEvents = endpoint({
  id: 'exportAuditEvents',
  tag: 'Audit',
  summary: `Audit events as CSV, oldest first: at most ${AUDIT_EXPORT_DAYS} days for each export`,
  method: 'GET',
  path: '/api/organisations/:organisationId/audit-events/export',
  access: 'audit.read',
  query: z.strictObject({
    ...filters,
    from: givenInstant.optional().meta({ description: 'Absent: 30 days before `to`.' }),
    to: givenInstant.optional().meta({ description: 'Absent: now.' }),
  }),
  response: z.string(),
  produces: 'text/csv',
});

export const listAuditEvents = endpoint({
  id: 'listAuditEvents',
  tag: 'Audit',
  summary: 'Audit events of the organisation, newest first',
  method: 'GET',
  path: '/api/organisations/:organisationId/audit-events',
  access: 'audit.read',
  query: listQuery(['createdAt'], filters),
  response: page(auditEvent),
});

export const listPlatformAuditEvents = endpoint({
  id: 'listPlatformAuditEvents',
  tag: 'Audit',
  summary: 'Audit events of all organisations and of the platform, newest first',
  method: 'GET',
  path: '/api/admin/audit-events',
  access: 'platform.audit.read',
  query: listQuery(['createdAt'], { ...filters, organisationId: id.optional() }),
  response: page(auditEvent),
});
