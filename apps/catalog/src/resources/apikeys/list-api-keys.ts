import type { rest } from '@tollgate/contracts';

import { ApiKey } from '../../entities/api-key.entity';
import { withinReach } from '../../rest/access';
import type { Call } from '../../rest/call';
import { idKey, likePattern, readPage } from '../../rest/paging';
import { bySpend, joinMonthSpend, monthSpendOf } from '../spend/month-spend';
import { grantedTo, represent } from './api-keys';
import { byLastUse, joinLastUse, lastUseOf } from './last-use';
import { mayUseModel } from './standing-model-grants';

/** As `statusOf` of api-keys.ts, in SQL. */
const statusConditions: Readonly<Record<rest.ApiKeyStatus, string>> = {
  ACTIVE: `key.status = 'ACTIVE' AND (key.expiresAt IS NULL OR key.expiresAt > :now)`,
  EXPIRED: `key.status = 'ACTIVE' AND key.expiresAt <= :now`,
  REVOKED: `key.status = 'REVOKED'`,
};

export async function list(
  call: Call<typeof rest.listApiKeys>,
): Promise<rest.PageOf<rest.ListedApiKey>> {
  const { query, db, nowMs } = call;
  const rows = db
    .createQueryBuilder(ApiKey, 'key')
    .where(`key.organisationId = :organisationId AND key.kind = 'NORMAL'`, {
      organisationId: call.organisation.id,
    });
  withinReach(rows, call.access, { teamId: 'key.teamId', userId: 'key.userId' });
  for (const field of ['type', 'teamId', 'userId', 'routingPolicyId'] as const) {
    if (query[field] !== undefined)
      rows.andWhere(`key.${field} = :${field}`, { [field]: query[field] });
  }
  if (query.status !== undefined) {
    rows.andWhere(statusConditions[query.status], { now: new Date(nowMs) });
  }
  if (query.modelId !== undefined) {
    rows.andWhere(
      `EXISTS (SELECT FROM model m WHERE m.id = :modelId AND m.organisation_id = key.organisationId AND
         m.status <> 'ARCHIVED' AND ${mayUseModel('key.id')})`,
      { modelId: query.modelId },
    );
  }
  if (query.mcpServerId !== undefined) {
    rows.andWhere(
      `EXISTS (SELECT FROM api_key_mcp_access a WHERE a.api_key_id = key.id AND a.mcp_server_id = :mcpServerId)`,
      { mcpServerId: query.mcpServerId },
    );
  }
  if (query.search !== undefined) {
    rows.andWhere('(key.name ILIKE :search OR key.preview ILIKE :search)', {
      search: likePattern(query.search),
    });
  }
  joinLastUse(rows, call);
  joinMonthSpend(rows, call, { owner: 'api_key_id', id: 'key.id' });
  const id = idKey<ApiKey>('key.id');
  const page = await readPage(rows, {
    cursor: query.cursor,
    limit: query.limit,
    total: query.total,
    sort: query.sort ?? '-createdAt',
    id,
    keys: {
      createdAt: id,
      name: { column: 'key.name', of: (row) => row.name },
      spentUsd: bySpend<ApiKey>(),
      lastUsedOn: byLastUse,
    },
  });
  const granted = await grantedTo(db, page.rows);
  const ids = page.rows.map(({ id: one }) => one);
  const spent = await monthSpendOf(call, 'api_key_id', ids);
  const lastUsed = await lastUseOf(call, ids);
  const data = page.rows.map((row) => ({
    ...represent(row, granted(row), nowMs),
    spentUsd: spent(row.id),
    lastUsedOn: lastUsed(row.id),
  }));
  return { data, nextCursor: page.nextCursor, matching: page.matching };
}
