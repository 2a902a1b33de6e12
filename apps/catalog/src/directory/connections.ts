import type { EntityManager } from 'typeorm';

import { ProviderApiKey } from '../entities/provider-api-key.entity';
import { ProviderConnection } from '../entities/provider-connection.entity';
import { Provider } from '../entities/provider.entity';

/**
 * Publishes a provider's current settings and active secrets as its next connection version, in the
 * transaction that changed them. Returns the version. The caller writes the outbox event.
 */
export async function publishConnection(tx: EntityManager, providerId: string): Promise<number> {
  const provider = await tx.findOneOrFail(Provider, {
    where: { id: providerId },
    lock: { mode: 'pessimistic_write' },
  });
  const keys = await tx.find(ProviderApiKey, {
    where: { providerId, status: 'ACTIVE' },
    order: { id: 'ASC' },
  });
  const version = provider.connectionVersion + 1;
  await tx.insert(ProviderConnection, {
    providerId,
    version,
    organisationId: provider.organisationId,
    providerName: provider.name,
    providerType: provider.type,
    upstreamFormat: provider.upstreamFormat,
    baseUrl: provider.baseUrl,
    apiVersion: provider.apiVersion,
    headers: provider.headers,
    timeoutMs: provider.timeoutMs,
    connectTimeoutMs: provider.connectTimeoutMs,
    firstByteTimeoutMs: provider.firstByteTimeoutMs,
    idleTimeoutMs: provider.idleTimeoutMs,
    secrets: keys.map((key) => ({ apiKeyId: key.id, weight: key.weight })),
  });
  await tx.update(Provider, { id: providerId }, { connectionVersion: version });
  return version;
}
