import { SCOPE_WORDS, type rest, type ScreeningScope } from '@tollgate/contracts';
import { In, type EntityManager } from 'typeorm';

import { ApiKey } from '../../entities/api-key.entity';
import { McpServer } from '../../entities/mcp-server.entity';
import { Model } from '../../entities/model.entity';
import { Team } from '../../entities/team.entity';
import type { Call } from '../../rest/call';
import { invalid } from '../../rest/field-errors';

type Attachment = rest.ScreeningAttachment;

/** What was attached before may stay, even if it is gone by now. */
export async function assertAttachments(
  { db, organisation }: Pick<Call, 'db' | 'organisation'>,
  attachments: readonly Attachment[],
  present: readonly Attachment[] = [],
): Promise<void> {
  const usable = new Set([keyOf('ORGANISATION', organisation.id)]);
  for (const { scopeId, scopeType } of present) usable.add(keyOf(scopeType, scopeId));
  const added = attachments.filter((one) => !usable.has(keyOf(one.scopeType, one.scopeId)));
  for (const [scopeType, some] of Map.groupBy(added, (one) => one.scopeType)) {
    const ids = some.map(({ scopeId }) => scopeId);
    for (const { id } of await found(db, scopeType, ids, organisation.id)) {
      usable.add(keyOf(scopeType, id));
    }
  }
  for (const [at, { scopeId, scopeType }] of attachments.entries()) {
    if (usable.has(keyOf(scopeType, scopeId))) continue;
    throw invalid(`attachedTo[${at}].scopeId`, `is no active ${SCOPE_WORDS[scopeType]} of yours`);
  }
}

function keyOf(scopeType: string, scopeId: string): string {
  return `${scopeType} ${scopeId}`;
}

async function found(
  db: EntityManager,
  scopeType: ScreeningScope,
  ids: readonly string[],
  organisationId: string,
): Promise<readonly { id: string }[]> {
  const where = { id: In(ids), organisationId };
  const select = { id: true } as const;
  switch (scopeType) {
    case 'ORGANISATION':
      return [];
    case 'TEAM':
      return db.find(Team, { select, where: { ...where, status: 'ACTIVE' } });
    case 'API_KEY':
      return db.find(ApiKey, { select, where: { ...where, kind: 'NORMAL', status: 'ACTIVE' } });
    case 'MODEL':
      return db.find(Model, { select, where: { ...where, status: In(['ACTIVE', 'DISABLED']) } });
    case 'MCP_SERVER':
      return db.find(McpServer, {
        select,
        where: { ...where, status: In(['ACTIVE', 'DISABLED']) },
      });
  }
}
