import { rest, restError } from '@tollgate/contracts';
import { previewOf, sealSecret, secretContext, type KeyRing } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';
import { In, type EntityManager } from 'typeorm';

import { publishConnection } from '../../directory/connections';
import { ProviderApiKey } from '../../entities/provider-api-key.entity';
import type { Provider } from '../../entities/provider.entity';
import type { Call } from '../../rest/call';
import { definedFields } from '../../rest/defined-fields';
import { conflict } from '../../rest/field-errors';
import { idKey, likePattern, readPage } from '../../rest/paging';
import { checkSecret } from './cloud-checks';
import { findProvider, type ProviderDeps } from './find-provider';

/** Keys of a provider: sealed on input, shown as previews, never opened here. */

/** Revoked keys are not shown. */
export const PROVIDER_KEYS_SHOWN = rest.PROVIDER_KEY_STATUSES;

export function representKey(row: ProviderApiKey): rest.ProviderKey {
  return {
    id: row.id,
    name: row.name,
    preview: row.preview,
    weight: row.weight,
    status: row.status === 'REVOKED' ? 'DISABLED' : row.status,
    statusSince: row.statusSince.toISOString(),
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
): Promise<rest.PageOf<rest.ProviderKey>> {
  const { query, db } = call;
  const provider = await findProvider(call, call.params.providerId);
  const rows = db
    .createQueryBuilder(ProviderApiKey, 'key')
    .where('key.providerId = :providerId AND key.status = ANY(:statuses)', {
      providerId: provider.id,
      statuses: query.status === undefined ? [...PROVIDER_KEYS_SHOWN] : [query.status],
    });
  if (query.search !== undefined) {
    rows.andWhere('key.name ILIKE :search', { search: likePattern(query.search) });
  }
  const id = idKey<ProviderApiKey>('key.id');
  const page = await readPage(rows, {
    cursor: query.cursor,
    limit: query.limit,
    total: query.total,
    sort: query.sort ?? 'createdAt',
    id,
    keys: { createdAt: id, name: { column: 'key.name', of: (row) => row.name } },
  });
  return {
    data: page.rows.map(representKey),
    nextCursor: page.nextCursor,
    matching: page.matching,
  };
}

export async function getKey(call: Call<typeof rest.getProviderKey>): Promise<rest.ProviderKey> {
  const provider = await findProvider(call, call.params.providerId);
  return representKey(await findKey(call.db, provider.id, call.params.keyId));
}

export async function addKey(
  call: Call<typeof rest.addProviderKey>,
  deps: ProviderDeps,
): Promise<rest.ProviderKey> {
  const provider = await findProvider(call, call.params.providerId, true);
  return added(call, deps, provider, call.body);
}

export async function updateKey(
  call: Call<typeof rest.updateProviderKey>,
): Promise<rest.ProviderKey> {
  const { db } = call;
  const { keyId: id } = call.params;
  const provider = await findProvider(call, call.params.providerId, true);
  const before = representKey(await findKey(db, provider.id, id));
  call.expectMatch(before);
  const patch = definedFields(call.body);
  const turned = patch.status !== undefined && patch.status !== before.status;
  const since = turned ? { statusSince: new Date(call.nowMs) } : {};
  await db.update(ProviderApiKey, { id }, { ...patch, ...since });
  const after = representKey(await findKey(db, provider.id, id));
  await published(call, provider.id, { action: 'provider-key.update', id, before, after });
  return after;
}

/** The new key is part of the next connection version; the old one stays in earlier versions. */
export async function rotateKey(
  call: Call<typeof rest.rotateProviderKey>,
  deps: ProviderDeps,
): Promise<rest.ProviderKey> {
  const { db, body } = call;
  const { keyId: id } = call.params;
  const provider = await findProvider(call, call.params.providerId, true);
  const before = representKey(await findKey(db, provider.id, id));
  if (before.status !== 'ACTIVE') {
    throw conflict('status', 'only an active key can be replaced; add the new key instead');
  }
  const { apiKey, name = before.name, weight = before.weight } = body;
  const statusSince = new Date(call.nowMs);
  await db.update(ProviderApiKey, { id }, { status: 'DRAINING', statusSince });
  const drained = representKey(await findKey(db, provider.id, id));
  noted(call, { action: 'provider-key.drain', id, before, after: drained });
  return added(call, deps, provider, { apiKey, name, weight });
}

export async function removeKey(call: Call<typeof rest.deleteProviderKey>): Promise<void> {
  const { db } = call;
  const { keyId: id } = call.params;
  const provider = await findProvider(call, call.params.providerId, true);
  const before = representKey(await findKey(db, provider.id, id));
  call.expectMatch(before);
  await db.delete(ProviderApiKey, { id });
  await published(call, provider.id, { action: 'provider-key.delete', id, before });
}

type InProvider = Pick<Call, 'db' | 'organisation' | 'changed'>;

async function added(
  call: InProvider,
  deps: ProviderDeps,
  provider: Provider,
  draft: rest.ProviderKeyCreate,
): Promise<rest.ProviderKey> {
  const { db, organisation } = call;
  const { id: providerId } = provider;
  checkSecret(provider, draft.apiKey, deps);
  const present = await db.countBy(ProviderApiKey, { providerId, status: In(PROVIDER_KEYS_SHOWN) });
  if (present >= rest.MAX_PROVIDER_KEYS) {
    throw conflict('apiKey', `a provider has at most ${rest.MAX_PROVIDER_KEYS} keys`);
  }
  const owner = { organisationId: organisation.id, providerId };
  const id = await insertKey(db, deps.keyRing, owner, draft);
  const after = representKey(await findKey(db, providerId, id));
  await published(call, providerId, { action: 'provider-key.create', id, after });
  return after;
}

async function findKey(db: EntityManager, providerId: string, id: string): Promise<ProviderApiKey> {
  const found = await db.findOneBy(ProviderApiKey, {
    id,
    providerId,
    status: In(PROVIDER_KEYS_SHOWN),
  });
  if (found === null) throw restError('not_found');
  return found;
}

interface KeyChange {
  action: string;
  id: string;
  before?: rest.ProviderKey;
  after?: rest.ProviderKey;
}

/** Every change of a key publishes a new connection version. */
async function published(call: InProvider, providerId: string, change: KeyChange): Promise<void> {
  await publishConnection(call.db, providerId);
  noted(call, change);
}

function noted(
  call: Pick<Call, 'organisation' | 'changed'>,
  { action, id, before, after }: KeyChange,
): void {
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
