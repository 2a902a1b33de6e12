import { restError, type rest } from '@tollgate/contracts';
import { previewOf, sealSecret, secretContext, type KeyRing } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';
import type { EntityManager } from 'typeorm';
import { publishConnection } from '../../directory/connections';
import type { Call } from '../../rest/call';
import { given } from '../../rest/given';
import { idKey, readPage } from '../../rest/paging';
import { findProvider, type ProviderDeps } from './find-provider';
import { ProviderApiKey } from './provider-api-key.entity';

/** Keys of a provider: sealed when they come in, answered as previews, never opened here. */

export function representKey(row: ProviderApiKey): rest.ProviderKey {
  return {
    id: row.id,
    name: row.name,
    preview: row.preview,
    weight: row.weight,
    createdAt: row.createdAt.toISOString(),
  };
}

export async function insertKey(
  tx: EntityManager,
  ring: KeyRing,
  owner: { organisationId: string; providerId: string },
  draft: rest.ProviderKeyCreate,
): Promise<string> {
  const id = uuidv7();
  const { keyId, nonce, ciphertext, tag } = sealSecret(
    ring,
    draft.apiKey,
    secretContext(owner.providerId, id),
  );
  await tx.insert(ProviderApiKey, {
    id,
    ...owner,
    name: draft.name,
    keyId,
    nonce,
    ciphertext,
    tag,
    preview: previewOf(draft.apiKey),
    weight: draft.weight,
  });
  return id;
}

export async function listKeys(
  call: Call<typeof rest.listProviderKeys>,
): Promise<{ data: rest.ProviderKey[]; nextCursor: string | null }> {
  const { query, db } = call;
  const provider = await findProvider(call, call.params.providerId);
  const rows = db
    .createQueryBuilder(ProviderApiKey, 'key')
    .where(`key.providerId = :providerId AND key.status = 'ACTIVE'`, { providerId: provider.id });
  const id = idKey<ProviderApiKey>('key.id');
  const page = await readPage(rows, {
    cursor: query.cursor,
    limit: query.limit,
    sort: query.sort ?? 'createdAt',
    id,
    keys: { createdAt: id },
  });
  return { data: page.rows.map(representKey), nextCursor: page.nextCursor };
}

export async function addKey(
  call: Call<typeof rest.addProviderKey>,
  deps: ProviderDeps,
): Promise<rest.ProviderKey> {
  const { db, organisation } = call;
  const provider = await findProvider(call, call.params.providerId, true);
  const owner = { organisationId: organisation.id, providerId: provider.id };
  const id = await insertKey(db, deps.keyRing, owner, call.body);
  const after = representKey(await findKey(db, provider.id, id));
  await published(call, provider.id, { action: 'provider-key.create', id, after });
  return after;
}

export async function updateKey(
  call: Call<typeof rest.updateProviderKey>,
): Promise<rest.ProviderKey> {
  const { db } = call;
  const { keyId: id } = call.params;
  const provider = await findProvider(call, call.params.providerId, true);
  const before = representKey(await findKey(db, provider.id, id));
  await db.update(ProviderApiKey, { id }, given(call.body));
  const after = representKey(await findKey(db, provider.id, id));
  await published(call, provider.id, { action: 'provider-key.update', id, before, after });
  return after;
}

export async function removeKey(call: Call<typeof rest.deleteProviderKey>): Promise<void> {
  const { db } = call;
  const { keyId: id } = call.params;
  const provider = await findProvider(call, call.params.providerId, true);
  const before = representKey(await findKey(db, provider.id, id));
  await db.delete(ProviderApiKey, { id });
  await published(call, provider.id, { action: 'provider-key.delete', id, before });
}

async function findKey(db: EntityManager, providerId: string, id: string): Promise<ProviderApiKey> {
  const found = await db.findOneBy(ProviderApiKey, { id, providerId, status: 'ACTIVE' });
  if (found === null) throw restError('not_found');
  return found;
}

type KeyChange = {
  action: string;
  id: string;
  before?: rest.ProviderKey;
  after?: rest.ProviderKey;
};

/** Every change of a key is a new version of the connection. */
async function published(
  call: Pick<Call, 'db' | 'organisation' | 'changed'>,
  providerId: string,
  { action, id, before, after }: KeyChange,
): Promise<void> {
  await publishConnection(call.db, providerId);
  const organisationId = call.organisation.id;
  call.changed({
    action,
    organisationId,
    target: { type: 'provider-key', id },
    before,
    after,
    news: [{ kind: 'PROVIDER', organisationId }],
  });
}
