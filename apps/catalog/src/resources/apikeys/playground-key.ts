import type { rest } from '@tollgate/contracts';
import { newApiKey } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';

import { ApiKey } from '../../entities/api-key.entity';
import type { Call } from '../../rest/call';
import { withGrants } from './api-keys';
import { playgroundGrants, replaceMcpGrants } from './mcp-grants';
import { modelGrantRows } from './model-grant-rows';
import { grantableModels } from './single-model-grants';

const LIFE_MS = 15 * 60_000;

/**
 * A playground key for 15 minutes: owned by the caller, with the models and MCP servers that the
 * caller may grant, and charged like any key. A platform user, who belongs to no organisation, gets a key of the
 * organisation.
 */
export async function createPlaygroundKey(
  call: Call<typeof rest.createPlaygroundKey>,
): Promise<rest.ApiKeyWithSecret> {
  const { db, organisation, actor, nowMs } = call;
  const member = actor.organisation?.id === organisation.id;
  const id = uuidv7();
  const { key, preview, sha256 } = newApiKey();
  await db.insert(ApiKey, {
    id,
    organisationId: organisation.id,
    name: `Playground of ${actor.email}`,
    type: member ? 'USER' : 'ORGANISATION',
    kind: 'PLAYGROUND',
    teamId: null,
    userId: member ? actor.id : null,
    keySha256: sha256,
    preview,
    expiresAt: new Date(nowMs + LIFE_MS),
    createdBy: actor.id,
  });
  await modelGrantRows.replace(db, organisation.id, id, await grantableModels(call));
  await replaceMcpGrants(db, organisation.id, id, await playgroundGrants(call));
  const after = await withGrants(call, await db.findOneByOrFail(ApiKey, { id }));
  // A session makes many of these keys, so the audit trail has how much each may use, and not a list.
  const { modelIds, mcpServerIds, mcpGrants: _, ...written } = after;
  call.changed({
    action: 'apikey.create-playground',
    organisationId: organisation.id,
    target: { type: 'apikey', id },
    after: { ...written, modelCount: modelIds.length, mcpServerCount: mcpServerIds.length },
    news: [{ kind: 'API_KEY', organisationId: organisation.id, keySha256: sha256 }],
  });
  return { ...after, key };
}
