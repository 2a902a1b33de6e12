import type { rest } from '@tollgate/contracts';
import { newApiKey } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';
import type { Call } from '../../rest/call';
import { ApiKey } from '../../entities/api-key.entity';
import { withGrants } from './api-keys';
import { grantableModels, setGrants } from './grants';

const LIFE_MS = 15 * 60_000;

/**
 * A key for the playground: the caller's own, with what the caller may give, for a quarter of an
 * hour. Usage is charged to the caller like any other. A platform user, who is of no organisation,
 * gets a key of the organisation itself.
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
  await setGrants(db, organisation.id, id, await grantableModels(call));
  const after = await withGrants(call, await db.findOneByOrFail(ApiKey, { id }));
  call.changed({
    action: 'apikey.create-playground',
    organisationId: organisation.id,
    target: { type: 'apikey', id },
    after,
    news: [{ kind: 'API_KEY', organisationId: organisation.id, keySha256: sha256 }],
  });
  return { ...after, key };
}
