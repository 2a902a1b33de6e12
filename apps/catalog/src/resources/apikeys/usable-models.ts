import type { rest } from '@tollgate/contracts';

import { Model } from '../../entities/model.entity';
import type { Call } from '../../rest/call';
import { idKey, likePattern, readPage } from '../../rest/paging';
import { findKey } from './api-keys';
import { representGrantable } from './grantable-models';
import { mayUseModel } from './standing-model-grants';

/** The models that a key may use now, as the data plane lists them. */
export async function listUsableModels(
  call: Call<typeof rest.listUsableModels>,
): Promise<rest.PageOf<rest.GrantableModel> & { total: number }> {
  const { query, db, organisation } = call;
  const { id: apiKeyId } = await findKey(call, call.params.apiKeyId);
  const rows = db
    .createQueryBuilder(Model, 'm')
    .where(`m.organisationId = :organisationId AND m.status = 'ACTIVE'`, {
      organisationId: organisation.id,
    })
    .andWhere(mayUseModel(':apiKeyId'), { apiKeyId });
  if (query.type !== undefined) rows.andWhere('m.type = :type', { type: query.type });
  if (query.search !== undefined) {
    rows.andWhere('(m.name ILIKE :search OR m.displayName ILIKE :search)', {
      search: likePattern(query.search),
    });
  }
  const total = await rows.getCount();
  const id = idKey<Model>('m.id');
  const page = await readPage(rows, {
    cursor: query.cursor,
    limit: query.limit,
    total: query.total,
    sort: query.sort ?? 'name',
    id,
    keys: { createdAt: id, name: { column: 'm.name', of: (row) => row.name } },
  });
  return {
    data: page.rows.map(representGrantable),
    nextCursor: page.nextCursor,
    matching: page.matching,
    total,
  };
}
