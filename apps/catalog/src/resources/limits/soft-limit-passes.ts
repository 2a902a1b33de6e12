import { rest } from '@tollgate/contracts';
import type { SelectQueryBuilder } from 'typeorm';
import { z } from 'zod';

import { AuditEvent } from '../../audit/audit-event.entity';
import { serve, type Call, type Route } from '../../rest/call';
import { idKey, readByAge } from '../../rest/paging';
import { findKey } from '../apikeys/api-keys';
import { mayUseModel } from '../apikeys/standing-model-grants';
import { withValues } from './passed-values';

/**
 * Lists the trail's events of soft limits, one for each limit and window, to those whom the limits
 * bind.
 */

const SCOPE_TYPE = `event.details #>> '{after,scope,type}'`;
const SCOPE_ID = `event.details #>> '{after,scope,id}'`;
/** Their `id` is an organisation, a team or a key. */
const VALUE_SCOPES = `'END_USER', 'SESSION', 'TAG'`;

const stored = z.object({
  after: rest.softLimitPass.omit({ id: true, limitId: true, spent: true, value: true }).extend({
    settled: rest.softLimitPass.shape.spent,
    // Events of earlier releases have none.
    requestId: rest.softLimitPass.shape.requestId.default(null),
  }),
});

/** Without the name of its value, which the trail does not have. */
function represent(row: AuditEvent): rest.SoftLimitPass {
  const { settled, ...after } = stored.parse(row.details).after;
  return { id: row.id, limitId: row.targetId ?? '', ...after, value: null, spent: settled };
}

export async function listSoftLimitPasses(
  call: Call<typeof rest.listSoftLimitPasses>,
): Promise<rest.PageOf<rest.SoftLimitPass>> {
  const { query, db, organisation } = call;
  const rows = db
    .createQueryBuilder(AuditEvent, 'event')
    .where(`event.organisationId = :organisationId AND event.action = 'limit.soft_exceeded'`, {
      organisationId: organisation.id,
    });
  narrowToReach(rows, call);
  if (query.apiKeyId !== undefined) await narrowToKey(rows, call, query.apiKeyId);
  const conditions = {
    limitId: 'event.targetId = :limitId',
    resource: 'event.targetType = :resource',
    scopeType: `${SCOPE_TYPE} = :scopeType`,
    scopeId: `${SCOPE_ID} = :scopeId`,
    from: 'event.createdAt >= :from',
    to: 'event.createdAt < :to',
  } as const;
  for (const [field, condition] of Object.entries(conditions)) {
    const value = query[field as keyof typeof conditions];
    if (value !== undefined) rows.andWhere(condition, { [field]: value });
  }
  const page = await readByAge(rows, query, idKey<AuditEvent>('event.id'));
  const data = await withValues(call, page.rows.map(represent));
  return { data, nextCursor: page.nextCursor, matching: page.matching };
}

/** The same reach as for limits: a user's own, a manager's teams', all for administrators. */
function narrowToReach(rows: SelectQueryBuilder<AuditEvent>, { access }: Pick<Call, 'access'>) {
  if (rest.reachesOrganisation(access.reach)) return;
  rows.andWhere(
    `((${SCOPE_TYPE} = 'USER' AND ${SCOPE_ID} = :self)
      OR (${SCOPE_TYPE} IN ('TEAM', ${VALUE_SCOPES}) AND ${SCOPE_ID} = ANY(:managed::text[]))
      OR (${SCOPE_TYPE} IN ('API_KEY', ${VALUE_SCOPES}) AND EXISTS (SELECT FROM api_key k
        WHERE k.organisation_id = :organisationId AND k.id::text = ${SCOPE_ID}
          AND (k.user_id::text = :self OR k.team_id::text = ANY(:managed::text[])))))`,
    { self: access.userId, managed: access.reach === 'teams' ? [...access.managedTeamIds] : [] },
  );
}

/** Narrows to limits of the key, its owners, and the models and MCP servers that it may use. */
async function narrowToKey(
  rows: SelectQueryBuilder<AuditEvent>,
  call: Pick<Call, 'db' | 'organisation' | 'access' | 'nowMs'>,
  apiKeyId: string,
): Promise<void> {
  const key = await findKey(call, apiKeyId);
  const owners = [key.id, key.teamId, key.userId, key.organisationId].filter((one) => one !== null);
  rows.andWhere(
    `(${SCOPE_ID} = ANY(:owners::text[]) OR (${SCOPE_TYPE} = 'MODEL' AND EXISTS (
      SELECT FROM model m WHERE m.organisation_id = :organisationId AND m.id::text = ${SCOPE_ID}
        AND ${mayUseModel(':keyId')}))
      OR (${SCOPE_TYPE} = 'MCP_SERVER' AND EXISTS (
        SELECT FROM api_key_mcp_access g WHERE g.organisation_id = :organisationId
          AND g.api_key_id = :keyId AND g.mcp_server_id::text = ${SCOPE_ID})))`,
    { owners, keyId: key.id },
  );
}

export const softLimitRoutes: Route[] = [serve(rest.listSoftLimitPasses, listSoftLimitPasses)];
