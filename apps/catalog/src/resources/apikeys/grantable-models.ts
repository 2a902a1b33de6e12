import type { rest } from '@tollgate/contracts';

import { Model } from '../../entities/model.entity';
import type { Call } from '../../rest/call';
import { idKey, likePattern, readPage } from '../../rest/paging';
import { GRANTED_TO_SELF } from './single-model-grants';

/** The models that the caller may grant: what a form offers, and `assertGrantable` accepts. */
export async function listGrantableModels(
  call: Call<typeof rest.listGrantableModels>,
): Promise<rest.PageOf<rest.GrantableModel>> {
  const { query, db, organisation, access, nowMs } = call;
  const rows = db
    .createQueryBuilder(Model, 'm')
    .where(`m.organisationId = :organisationId AND m.status <> 'ARCHIVED'`, {
      organisationId: organisation.id,
    });
  if (access.reach === 'self') {
    rows.andWhere(GRANTED_TO_SELF, {
      selfId: access.userId,
      selfTeamIds: [...access.teamIds],
      now: new Date(nowMs),
    });
  }
  for (const field of ['type', 'status'] as const) {
    if (query[field] === undefined) continue;
    rows.andWhere(`m.${field} = :${field}`, { [field]: query[field] });
  }
  if (query.search !== undefined) {
    rows.andWhere('(m.name ILIKE :search OR m.displayName ILIKE :search)', {
      search: likePattern(query.search),
    });
  }
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
  };
}

export function representGrantable(row: Model): rest.GrantableModel {
  return {
    id: row.id,
    name: row.name,
    displayName: row.displayName,
    type: row.type,
    contextTokens: row.contextTokens,
    status: row.status === 'ACTIVE' ? 'ACTIVE' : 'DISABLED',
  };
}
