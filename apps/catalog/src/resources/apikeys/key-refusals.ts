import type { rest } from '@tollgate/contracts';

import { ApiKeyRefusal } from '../../ledger/reports/api-key-refusal.entity';
import type { Call } from '../../rest/call';
import { idKey, readPage } from '../../rest/paging';
import { findKey } from './api-keys';

function represent(row: ApiKeyRefusal): rest.ApiKeyRefusal {
  return {
    id: row.id,
    code: row.code,
    reason: row.reason,
    count: Number(row.count),
    firstAt: row.firstAt.toISOString(),
    lastAt: row.lastAt.toISOString(),
    lastRequestId: row.lastRequestId,
    lastModel: row.lastModel,
    message: row.message,
    limit: row.limitState,
    need: row.need,
  };
}

/** The refusals of a key within the caller's reach, as reported by policies. */
export async function listRefusals(
  call: Call<typeof rest.listApiKeyRefusals>,
): Promise<rest.PageOf<rest.ApiKeyRefusal>> {
  const { query, db } = call;
  const { id: apiKeyId } = await findKey(call, call.params.apiKeyId);
  const rows = db
    .createQueryBuilder(ApiKeyRefusal, 'refusal')
    .where('refusal.apiKeyId = :apiKeyId', { apiKeyId });
  if (query.code !== undefined) rows.andWhere('refusal.code = :code', { code: query.code });
  const page = await readPage(rows, {
    cursor: query.cursor,
    limit: query.limit,
    total: query.total,
    sort: query.sort ?? '-lastAt',
    id: idKey<ApiKeyRefusal>('refusal.id'),
    keys: {
      lastAt: {
        column: 'refusal.lastAt',
        of: (row) => row.lastAt.toISOString(),
        holds: 'instant',
      },
    },
  });
  return { data: page.rows.map(represent), nextCursor: page.nextCursor, matching: page.matching };
}
